// The strip that tells what is loading, restarting or missing. It asks /state, and is not seen once all is ready.

import {el, onLanguage, t} from './dom.js';

const SOON = 1500, LATER = 10000; // ms between questions, not ready and ready

function part({name, state, detail, done, total}) {
  const progress = state === 'loading' && total > 0;
  const told = progress ? t('part_progress', {done, total}) : t(`part_${state}`) ?? state;
  return el('li', {className: state, title: detail},
    el('span', {className: 'part', textContent: t(`part_${name}`) ?? name}),
    el('span', {className: 'told', textContent: told}),
    progress ? el('progress', {max: total, value: done}) : null,
    state === 'failed' && detail ? el('span', {className: 'detail', textContent: detail}) : null);
}

function kind(state) {
  if (!state) return 'offline';
  if (!state.reachable) return 'unreachable';
  if (state.ready) return 'ready';
  return ['failed', 'restarting'].find(name => state.parts.some(part => part.state === name)) ?? 'loading';
}

export default function strip({element}) {
  const root = element.querySelector('.strip');
  root.setAttribute('role', 'status');
  let state = null, drawn = '';

  const draw = () => {
    const now = kind(state);
    root.hidden = now === 'ready';
    root.dataset.kind = now;
    const parts = state?.reachable ? state.parts : [];
    const shown = JSON.stringify([now, parts, document.documentElement.lang]);
    if (shown === drawn) return;
    drawn = shown;
    root.replaceChildren(el('strong', {textContent: t(`strip_${now}`) ?? ''}), el('ul', {}, ...parts.map(part)));
  };
  const ask = async () => {
    try {
      const response = await fetch('/state');
      state = response.ok ? await response.json() : null;
    } catch {
      state = null;
    }
    draw();
    const ready = kind(state) === 'ready';
    if (ready) window.dispatchEvent(new Event('daogou:ready'));
    setTimeout(ask, ready || document.hidden ? LATER : SOON);
  };
  root.hidden = true;
  ask();
  onLanguage(draw);
  document.addEventListener('visibilitychange', () => document.hidden || draw());
}
