// The head of the page: name, new chat, language, light or dark.

import {el, language, onLanguage, setLanguage, t} from './dom.js';

const KEY = 'daogou.theme';
const isDark = () => document.body.classList.contains('dark');

function setTheme(dark) {
  document.body.classList.toggle('dark', dark);
  localStorage.setItem(KEY, dark ? 'dark' : 'light');
}

export default function header({element, props, trigger}) {
  const root = element.querySelector('.header');
  const chosen = localStorage.getItem(KEY);
  if (chosen && !new URLSearchParams(location.search).has('__theme')) setTheme(chosen === 'dark');

  const switchLanguage = () => {
    setLanguage(language() === 'en' ? 'zh' : 'en');
    trigger('language', {lang: language()});
  };
  const button = (className, text, label, onclick) =>
    el('button', {type: 'button', className, textContent: text, title: label, attrs: {'aria-label': label}, onclick});

  const draw = () => {
    const theme = button('icon', isDark() ? '☀' : '☾', t(isDark() ? 'theme_to_light' : 'theme_to_dark'), () => {
      setTheme(!isDark());
      draw();
    });
    root.replaceChildren(
      el('img', {src: '/ui/icons/daogou.svg', alt: '', width: 36, height: 36}),
      el('div', {className: 'name'}, el('h1', {textContent: t('app_name')}), el('p', {textContent: t('tagline')})),
      ...(props.value.chat ? [button('new', `＋ ${t('new_chat')}`, t('new_chat'), () => trigger('clear'))] : []),
      button('language', t('other_language'), t('other_language_label'), switchLanguage),
      theme,
    );
  };
  draw();
  onLanguage(draw);
  // Said even if it is the browser's: Gradio makes the session at the first event, which need not be a question.
  trigger('language', {lang: language()});
}
