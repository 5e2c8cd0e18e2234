// The conversation. The server sends the latest turn only; the turns before it stay as they are drawn.

import {el, language, onLanguage, running, shelves, t} from './dom.js';
import {words} from './words.js';

const RUNNING = new Set(['thinking', 'waiting', 'writing']);

function status({status: now, reason, text}) {
  if (now === 'thinking') return [dots(), t('thinking')];
  if (now === 'waiting') return [dots(), t(`waiting_${reason}`) ?? t('waiting_other')];
  if (now === 'stopped') return [t('stopped')];
  if (now === 'failed') return [t(`error_${reason}`) ?? t('error_other')];
  return now === 'writing' && text === '' ? [dots()] : [];
}

const dots = () => el('span', {className: 'dots', attrs: {'aria-hidden': 'true'}}, el('i'), el('i'), el('i'));

const stageName = name => t(`stage_${name.replaceAll(' ', '_')}`) ?? name;

const time = ms => (ms < 1000
  ? t('trace_ms', {ms: ms < 10 ? ms.toFixed(1) : Math.round(ms)})
  : t('trace_seconds', {seconds: (ms / 1000).toFixed(1)}));

function trace({total_ms: total, stages}) {
  const share = ms => `${Math.max(0, Math.min(100, (100 * ms) / Math.max(total, 1))).toFixed(2)}%`;
  const row = ({name, start, ms}) => {
    const bar = el('span', {className: 'bar'}, el('i'));
    bar.firstChild.style.left = share(start);
    bar.firstChild.style.width = share(ms);
    return el('tr', {}, el('th', {textContent: stageName(name), attrs: {scope: 'row'}}), el('td', {}, bar),
      el('td', {className: 'ms', textContent: time(ms)}));
  };
  return [
    el('summary', {}, t('trace_title'), el('span', {textContent: t('trace_total', {time: time(total)})})),
    el('table', {}, el('tbody', {}, ...stages.map(row))),
  ];
}

/** One turn on the page. Each part is drawn again only when what it shows has changed. */
class TurnView {
  constructor(ask) {
    this.ask = ask;
    this.drawn = {};
    this.question = el('div', {className: 'question'});
    this.parts = Object.fromEntries(
      ['chips', 'notices', 'text', 'status', 'actions'].map(name => [name, el('div', {className: name})]));
    this.trace = el('details', {className: 'trace'});
    this.answer = el('div', {className: 'answer'}, ...Object.values(this.parts), this.trace);
    this.node = el('article', {className: 'turn'}, this.question, this.answer);
  }

  draw(turn, last) {
    this.turn = turn;
    const put = (name, node, data, make) => {
      const key = JSON.stringify([data, language()]);
      if (this.drawn[name] === key) return;
      this.drawn[name] = key;
      node.replaceChildren(...make());
      node.hidden = node.childNodes.length === 0;
    };
    const {parts} = this;
    this.node.dataset.status = turn.status;
    this.node.classList.toggle('refused', turn.refused);
    this.answer.setAttribute('aria-label', t('assistant'));
    put('question', this.question, turn.question, () => [turn.question]);
    put('chips', parts.chips, turn.chips, () => turn.chips.map(label => el('span', {textContent: label})));
    put('notices', parts.notices, turn.notices, () => turn.notices.map(notice => el('p', {textContent: notice})));
    put('text', parts.text, turn.text, () => words(turn.text));
    put('status', parts.status, [turn.status, turn.reason, turn.text === ''], () => status(turn));
    put('actions', parts.actions, [turn.status, last, turn.follow_ups], () => this.actions(turn, last));
    put('trace', this.trace, turn.trace, () => (turn.trace ? trace(turn.trace) : []));
  }

  actions(turn, last) {
    const button = (text, question, className) =>
      el('button', {type: 'button', className, textContent: text, onclick: () => this.ask(question)});
    if (!last || RUNNING.has(turn.status)) return [];
    const again = turn.status === 'failed' ? [button(`↻ ${t('retry')}`, turn.question, 'retry')] : [];
    return [...again, ...turn.follow_ups.map(question => button(question, question, 'chip'))];
  }
}

/** What is seen before the first question. */
class Welcome {
  constructor(ask) {
    this.ask = ask;
    this.node = el('section', {className: 'welcome'});
    this.questions = {}; // by language, from the loaded catalogue
    this.draw();
    window.addEventListener('daogou:ready', () => this.fetch());
  }

  async fetch() {
    const lang = language();
    if (this.questions[lang]?.length || !this.node.isConnected) return;
    try {
      this.questions[lang] = await fetch(`/examples?lang=${lang}`).then(response => (response.ok ? response.json() : []));
    } catch {
      return;
    }
    this.draw();
  }

  draw() {
    const found = this.questions[language()];
    const questions = found?.length ? found : [1, 2, 3, 4].map(number => t(`example_${number}`));
    const button = text => el('button', {type: 'button', className: 'example', textContent: text, onclick: () => this.ask(text)});
    this.node.replaceChildren(
      el('h2', {textContent: t('welcome_title')}),
      el('p', {textContent: t('welcome_text')}),
      el('div', {className: 'examples', attrs: {'aria-label': t('examples_label'), role: 'group'}}, ...questions.map(button)));
  }
}

export default function talk({element, props, watch, trigger}) {
  const root = element.querySelector('.talk');
  root.setAttribute('role', 'log');
  root.setAttribute('aria-live', 'polite');
  const views = new Map();
  let epoch = null, shelf = '';
  const isRunning = () => [...views.values()].some(view => RUNNING.has(view.turn.status));
  const ask = question => { if (!isRunning()) trigger('ask', {question}); };
  const welcome = new Welcome(ask);

  /** Cards show as soon as they are known; those of the turn before stay until then. */
  const showShelf = turn => {
    const cards = turn?.cards ?? '[]';
    if (turn && RUNNING.has(turn.status) && cards === '[]') return;
    const now = `${turn?.number} ${turn?.lang} ${cards}`;
    if (now !== shelf) shelves.tell({lang: turn?.lang ?? null, cards: JSON.parse(cards)});
    shelf = now;
  };
  const clear = () => {
    views.clear();
    root.replaceChildren(welcome.node);
    welcome.draw();
    welcome.fetch();
  };
  const add = turn => {
    const before = [...views.values()].at(-1);
    views.set(turn.number, new TurnView(ask));
    before?.draw(before.turn, false);
    welcome.node.remove();
    root.append(views.get(turn.number).node);
  };
  const draw = () => {
    const {epoch: now, turn} = props.value;
    if (now !== epoch) clear();
    epoch = now;
    root.closest('#floor').classList.toggle('talking', turn !== null);
    if (turn) {
      const isNew = !views.has(turn.number);
      if (isNew) add(turn);
      const atEnd = root.scrollHeight - root.scrollTop - root.clientHeight < 80;
      const view = views.get(turn.number);
      view.draw(turn, turn.number === Math.max(...views.keys()));
      if (isNew) view.node.scrollIntoView({block: 'start'});
      else if (atEnd) root.scrollTop = root.scrollHeight;
    }
    showShelf(turn);
    running.tell(isRunning());
  };
  draw();
  watch('value', draw);
  onLanguage(() => {
    const all = [...views.values()];
    all.forEach((view, index) => view.draw(view.turn, index === all.length - 1));
    welcome.draw();
    welcome.fetch();
  });
}
