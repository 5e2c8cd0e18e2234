// The box: send or stop, names for its buttons (Gradio gives them a picture only), and the line under it.

import {onLanguage, running, t, there} from './dom.js';

export default async function composer({element}) {
  const box = await there('#ask:has(textarea):has(.submit-button):has(.stop-button)');
  const draw = () => {
    element.querySelector('.composer').textContent = t('hint');
    for (const [selector, key] of [['.submit-button', 'send'], ['.stop-button', 'stop']]) {
      const button = box.querySelector(selector);
      button.setAttribute('aria-label', t(key));
      button.title = t(key);
    }
  };
  draw();
  onLanguage(draw);
  running.hear(now => box.classList.toggle('running', now));
  window.addEventListener('daogou:sent', () => {
    const text = box.querySelector('textarea');
    text.value = '';
    text.dispatchEvent(new Event('input', {bubbles: true}));
  });
}
