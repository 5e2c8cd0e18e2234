// What all panels share: building elements from texts (never from markup), the page's words and its language.

const KEY = 'daogou.language';
const [en, zh] = await Promise.all(['en', 'zh'].map(lang => fetch(`/ui/texts/${lang}.json`).then(r => r.json())));
const TEXTS = {en, zh};
const listeners = [];

const known = lang => (Object.hasOwn(TEXTS, lang) ? lang : null);
const ofBrowser = () => navigator.languages.map(tag => known(tag.toLowerCase().split('-')[0])).find(Boolean) ?? 'en';

let current = known(localStorage.getItem(KEY) ?? '') ?? ofBrowser(); // as chosen here before, else the browser's
document.documentElement.lang = TEXTS[current].html_lang;

export const language = () => current;

export function setLanguage(lang) {
  current = lang;
  localStorage.setItem(KEY, lang);
  document.documentElement.lang = TEXTS[lang].html_lang;
  listeners.forEach(draw => draw());
}

/** Calls `draw` whenever the language changes. */
export const onLanguage = draw => listeners.push(draw);

/** The words for `key`, with {names} filled in; undefined where there is no such key. */
export function t(key, values = {}, lang = current) {
  return TEXTS[known(lang) ?? current][key]?.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** An element with properties (texts by textContent), attributes under `attrs`, and children. */
export function el(tag, {attrs = {}, ...properties} = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  for (const [name, value] of Object.entries(attrs)) node.setAttribute(name, value);
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

/** The element at `selector` once the page has it: Gradio loads the code of its own parts one by one. */
export function there(selector) {
  return new Promise(found => {
    const look = () => {
      const node = document.querySelector(selector);
      if (node) found(node);
      return node;
    };
    if (look()) return;
    const watcher = new MutationObserver(() => look() && watcher.disconnect());
    watcher.observe(document.body, {childList: true, subtree: true});
  });
}

export const circled = number => String.fromCodePoint(number <= 20 ? 0x245f + number : 0x323c + number);

/** A text of a record in `lang`, else in whatever language there is. */
export const inLanguage = (texts, lang) => texts[lang] || texts.en || texts.zh || Object.values(texts)[0] || '';

/** What one panel tells the others; whoever listens late hears the latest. */
function channel() {
  const handlers = [];
  let latest;
  return {
    tell(value) { latest = value; handlers.forEach(handle => handle(value)); },
    hear(handle) { handlers.push(handle); if (latest !== undefined) handle(latest); },
  };
}
export const shelves = channel(); // {lang, cards} to show
export const pointed = channel(); // the number of the card that the shopper points at
export const running = channel(); // whether an answer is being made
