// The product cards. Every text is set with textContent; addresses were checked by the page's server, and are again.

import {circled, el, inLanguage, language, onLanguage, pointed, shelves, t} from './dom.js';

const own = address => /^\/pictures\/[\w.%-]+$/.test(address) || address.startsWith('https://');
const web = address => /^https?:\/\//.test(address);

function price({amount, currency}, lang) {
  const form = {style: 'currency', currency, currencyDisplay: 'narrowSymbol'};
  return new Intl.NumberFormat(lang, form).format(Number(amount));
}

function picture(card, title) {
  const frame = el('div', {className: 'picture'});
  const letter = /[\p{L}\p{N}]/u.exec(title)?.[0] ?? '';
  const blank = () => el('span', {className: 'blank', textContent: letter, attrs: {'aria-hidden': 'true'}});
  if (card.picture && own(card.picture)) {
    const image = el('img', {alt: '', decoding: 'async', width: 400, height: 400});
    image.onerror = () => image.replaceWith(blank());
    image.src = card.picture;
    frame.append(image);
  } else frame.append(blank());
  return frame;
}

function stock({stock: left}, lang) {
  if (left === null) return null;
  const [className, key] = left <= 0 ? ['out', 'sold_out'] : left <= 5 ? ['few', 'few_left'] : ['in', 'in_stock'];
  return el('span', {className: `stock ${className}`, textContent: t(key, {count: left}, lang)});
}

function rating({rating: stars, rating_count: count}, lang) {
  if (stars === null) return null;
  const number = new Intl.NumberFormat(lang).format(count);
  const label = t('rating', {rating: stars.toFixed(1), count: number}, lang);
  return el('span', {className: 'rating', title: label, attrs: {role: 'img', 'aria-label': label}},
    el('span', {className: 'star', textContent: '★'}), ` ${stars.toFixed(1)} `,
    el('span', {className: 'count', textContent: `(${number})`}));
}

function draw(card, lang) {
  const title = inLanguage(card.title, lang);
  const name = card.url && web(card.url)
    ? el('a', {href: card.url, target: '_blank', rel: 'noopener noreferrer', textContent: title, title,
        attrs: {'aria-label': t('open_product', {title}, lang)}})
    : el('span', {textContent: title, title});
  const sold = card.stock !== null && card.stock <= 0;
  return el('article', {className: sold ? 'card sold' : 'card', attrs: {'data-number': card.number}},
    el('span', {className: 'number', textContent: circled(card.number)}),
    picture(card, title),
    el('div', {className: 'facts'},
      card.brand ? el('p', {className: 'brand', textContent: card.brand}) : null,
      el('h3', {}, name),
      rating(card, lang),
      el('p', {className: 'buy'},
        card.price ? el('span', {className: 'price', textContent: price(card.price, lang)}) : null,
        stock(card, lang))));
}

export default function shelf({element}) {
  const root = element.querySelector('.shelf');
  let shown = {lang: null, cards: []};
  let chosen = null; // the language that the shopper switched to after these cards came

  const redraw = () => {
    const spoken = chosen ?? shown.lang ?? language();
    root.closest('#floor').classList.toggle('has-shelf', shown.cards.length > 0);
    root.setAttribute('aria-label', t('shelf_label'));
    root.setAttribute('role', 'region');
    root.replaceChildren(
      el('h2', {textContent: t('shelf_title', {}, spoken)}),
      el('div', {className: 'cards'}, ...shown.cards.map(card => draw(card, spoken))));
    root.scrollTop = 0;
  };
  shelves.hear(shelf => { [shown, chosen] = [shelf, null]; redraw(); });
  onLanguage(() => { chosen = language(); redraw(); });
  pointed.hear(number => {
    const card = root.querySelector(`.card[data-number="${number}"]`);
    if (!card) return;
    card.scrollIntoView({behavior: 'smooth', block: 'nearest', inline: 'center'});
    card.classList.remove('pointed');
    void card.offsetWidth; // so that the animation starts anew
    card.classList.add('pointed');
  });
}
