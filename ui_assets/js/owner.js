// The owner's page: the key, a feed, what is in it, and its load. Texts of a feed are only ever set as text.

import {el, language, onLanguage, t} from './dom.js';
import {Owner} from './owner_service.js';
import {columnTable, findings, summary} from './owner_report.js';

const LOOK = 1000, BEGIN = 5000; // ms between looks at a load, and until one that was accepted shows
const TELLING = 2; // seconds of work, before its pace says anything

const wait = ms => new Promise(done => setTimeout(done, ms));
const button = (className, text, onclick, properties = {}) =>
  el('button', {type: 'button', className, textContent: text, onclick, ...properties});

export default function owner({element}) {
  const root = element.querySelector('.owner');
  let service = null; // once the key is known to be right
  let sent = [], most = 0; // feeds of before, and the bytes that one may have
  let feed = null; // {path, report, mapping, currency, keep}
  let told = null; // {kind: 'busy' | 'error' | 'done', text(), done?, total?}
  let quarantine = []; // names of files with the rows that were left out
  let asking = null; // AbortController of the report that is being made

  const notices = el('div'); // redrawn by itself, so that a list that is open stays so
  const tell = (kind, text, progress = {}) => { told = {kind, text, ...progress}; showNotice(); };
  const wrong = error => tell('error', () => t(`owner_error_${error.code}`) ?? error.message);

  async function enter(key) {
    const trying = new Owner(key);
    try {
      ({data: sent, most_bytes: most} = await trying.feeds());
      service = trying;
      told = null;
      draw();
    } catch (error) { wrong(error); }
  }

  async function send(file) {
    if (file.size > most) return tell('error', () => t('owner_error_body_too_large'));
    tell('busy', () => t('owner_sending', {name: file.name}), {done: 0, total: file.size});
    try {
      const {path} = await service.send(file, done => {
        tell('busy', () => t('owner_sending', {name: file.name}), {done, total: file.size});
      });
      await open(path);
    } catch (error) { wrong(error); }
  }

  async function open(path) {
    feed = {path, report: null, mapping: null, currency: null, keep: false};
    quarantine = [];
    draw();
    await look();
  }

  /** The report anew; one that is being made is not waited for any more. */
  async function look() {
    asking?.abort();
    const {signal} = asking = new AbortController();
    tell('busy', () => t('owner_reading'));
    try {
      const {path, mapping, currency} = feed;
      const report = await service.report({path, mapping, currency}, signal);
      if (signal.aborted) return;
      Object.assign(feed, {report, mapping: report.choice.mapping, currency: report.choice.currency});
      told = null;
      draw();
    } catch (error) { if (!signal.aborted) wrong(error); }
  }

  async function load() {
    const {path, mapping, currency, keep} = feed;
    tell('busy', () => t('owner_reading'));
    try {
      const report = await service.report({path, mapping, currency, before_load: true});
      quarantine = report.quarantine.map(file => file.split('/').at(-1));
      await service.load({path, mapping: mapping ?? {}, ...(currency ? {currency} : {}), keep_missing: keep});
      await follow();
      ({data: sent} = await service.feeds());
      draw();
    } catch (error) { wrong(error); }
  }

  async function follow() {
    const accepted = performance.now();
    let began = false, first = null;
    for (;;) {
      await wait(LOOK);
      const state = await service.state();
      const part = state?.parts.find(each => each.name === 'catalogue');
      if (!part) { tell('busy', () => t('owner_waiting')); continue; }
      const now = performance.now();
      if (part.state === 'loading') {
        began = true;
        if (part.done && (first === null || part.done < first.done)) first = {done: part.done, at: now};
        const rate = first && now - first.at > TELLING * 1000 ? (part.done - first.done) / (now - first.at) * 1000 : 0;
        const left = rate ? Math.round((part.total - part.done) / rate) : 0;
        const {done, total} = part;
        const pace = () => (rate ? t('owner_pace', {rate: rate.toPrecision(3), seconds: left}) : '');
        tell('busy', () => `${t('owner_loading')} ${pace()}`, {done, total});
      } else if (began || now - accepted > BEGIN || part.detail) {
        if (part.detail) tell('error', () => part.detail);
        else tell('done', () => t('owner_loaded', {count: part.total}));
        return;
      }
    }
  }

  async function fetchBack(name) {
    try {
      const address = URL.createObjectURL(await service.fetch(name));
      el('a', {href: address, download: name}).click();
      setTimeout(() => URL.revokeObjectURL(address), 60000);
    } catch (error) { wrong(error); }
  }

  function keyForm() {
    const input = el('input', {type: 'password', autocomplete: 'off', required: true, id: 'owner-key'});
    const onsubmit = event => { event.preventDefault(); enter(input.value.trim()); };
    return el('form', {className: 'key', onsubmit},
      el('label', {textContent: t('owner_key'), htmlFor: 'owner-key'}), input,
      el('p', {className: 'hint', textContent: t('owner_key_hint')}),
      el('button', {textContent: t('owner_enter'), className: 'primary'}));
  }

  function dropZone() {
    const input = el('input', {type: 'file', onchange: () => input.files.length && send(input.files[0])});
    const zone = el('label', {
      className: 'drop',
      ondragover: event => { event.preventDefault(); zone.classList.add('over'); },
      ondragleave: () => zone.classList.remove('over'),
      ondrop: event => { event.preventDefault(); event.dataTransfer.files.length && send(event.dataTransfer.files[0]); },
    }, el('strong', {textContent: t('owner_drop')}), el('span', {textContent: t('owner_drop_hint')}), input);
    const before = sent.map(each => el('li', {}, button('sent', each.name, () => open(each.path))));
    return [zone, before.length ? el('section', {className: 'before'},
      el('h2', {textContent: t('owner_before')}), el('ul', {}, ...before)) : null];
  }

  function choices() {
    const currency = el('input', {value: feed.currency ?? '', maxLength: 3, placeholder: t('owner_currency_unset'),
      pattern: '[A-Z]{3}', id: 'owner-currency', onchange: () => {
        currency.value = currency.value.trim().toUpperCase();
        if (!currency.checkValidity()) return;
        feed.currency = currency.value || null;
        look();
      }});
    const keep = el('input', {type: 'checkbox', checked: feed.keep, onchange: () => { feed.keep = keep.checked; }});
    return el('section', {className: 'choices'},
      el('label', {textContent: t('owner_currency'), htmlFor: 'owner-currency'}), currency,
      el('label', {className: 'keep'}, keep, t('owner_keep')),
      button('primary load', t('owner_load'), load));
  }

  function showNotice() {
    notices.replaceChildren(...(told ? [notice()] : []));
    root.querySelectorAll('.load').forEach(load => { load.disabled = told?.kind === 'busy' || feed.report.state === 'unusable'; });
  }

  function notice() {
    const {kind, text, done, total} = told;
    return el('p', {className: `notice ${kind}`, attrs: {role: kind === 'error' ? 'alert' : 'status'}},
      el('span', {textContent: text()}),
      total ? el('progress', {max: total, value: done}) : null,
      total && kind === 'busy' ? el('span', {className: 'count', textContent: t('part_progress', {done, total})}) : null);
  }

  function left() {
    if (!quarantine.length) return null;
    return el('section', {className: 'left'}, el('p', {textContent: t('owner_quarantine')}),
      ...quarantine.map(name => button('fetch', t('owner_fetch', {name}), () => fetchBack(name))));
  }

  function draw() {
    const parts = [el('h1', {textContent: t('owner_title')})];
    if (!service) parts.push(keyForm(), notices);
    else {
      parts.push(...dropZone(), notices, left());
      if (feed?.report) {
        const changed = mapping => { feed.mapping = mapping; look(); };
        parts.push(summary(feed.report), columnTable(feed, changed), choices(), ...findings(feed.report, language()));
      }
    }
    root.replaceChildren(...parts.filter(Boolean));
    showNotice();
  }
  draw();
  onLanguage(draw);
}
