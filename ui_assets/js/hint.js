// The line under the box, and names for the box's buttons: Gradio gives them a picture only.

import {onLanguage, t} from './dom.js';

export default function hint({element}) {
  const box = document.querySelector('#ask');
  const name = () => {
    for (const [selector, key] of [['.submit-button', 'send'], ['.stop-button', 'stop']]) {
      const button = box.querySelector(selector);
      if (button && button.getAttribute('aria-label') !== t(key)) {
        button.setAttribute('aria-label', t(key));
        button.title = t(key);
      }
    }
  };
  const draw = () => {
    element.querySelector('.hint').textContent = t('hint');
    name();
  };
  draw();
  onLanguage(draw);
  new MutationObserver(name).observe(box, {childList: true, subtree: true});
}
