// An answer as elements: paragraphs, lists, **bold**, and ① as a button that points at the card. Nothing else.

import {circled, el, pointed, t} from './dom.js';

const TOKENS = /\*\*([^*\n]+)\*\*|([\u2460-\u2473\u3251-\u3254])/g;
const NUMBERS = new Map(Array.from({length: 24}, (_, index) => [circled(index + 1), index + 1]));

function reference(sign) {
  const number = NUMBERS.get(sign);
  const label = t('card_number', {number});
  return el('button', {type: 'button', className: 'ref', textContent: sign, title: label, onclick: () => pointed.tell(number)});
}

function inline(text) {
  const found = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    found.push(text.slice(end, match.index));
    found.push(match[1] ? el('strong', {}, ...inline(match[1])) : reference(match[2]));
    end = match.index + match[0].length;
  }
  found.push(text.slice(end));
  return found.filter(part => part !== '');
}

export function words(text) {
  const blocks = [];
  for (const line of text.split('\n')) {
    const item = /^\s*[-*•]\s+(.*)$/.exec(line);
    if (item) {
      if (blocks.at(-1)?.tagName !== 'UL') blocks.push(el('ul'));
      blocks.at(-1).append(el('li', {}, ...inline(item[1])));
    } else if (line.trim()) {
      blocks.push(el('p', {}, ...inline(line)));
    }
  }
  return blocks;
}
