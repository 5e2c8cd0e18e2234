// The report of a feed, as elements: what was read, the columns with their roles, what is wrong and how to mend it.

import {el, t} from './dom.js';

const OF_A_KIND = 20; // findings that are shown
const SEVERITIES = ['error', 'warning', 'note'];
const NO_ROLE = ['attribute', 'ignored'];

const number = value => value.toLocaleString();

export function summary(report) {
  const figures = ['rows', 'products', 'variants', 'categories', 'left_out'].map(name => [t(`owner_${name}`), number(report[name])]);
  const prices = Object.entries(report.currencies).map(([code, many]) => `${code} ${number(many)}`).join(', ') || '–';
  const rows = [...figures, [t('owner_prices'), prices]];
  return el('section', {className: `summary ${report.state}`},
    el('p', {className: 'file', textContent: `${report.source.split('/').at(-1)}: ${report.form}, ${report.encoding}`}),
    el('dl', {}, ...rows.map(([name, value]) => el('div', {}, el('dt', {textContent: name}), el('dd', {textContent: value})))),
    el('p', {className: 'verdict', textContent: t(`owner_state_${report.state}`)}));
}

/** What the owner has said of the columns, once `header` is to be `role`. */
function remapped(mapping, columns, header, role) {
  const said = Object.fromEntries(Object.entries(mapping ?? {}).filter(([, of]) => of !== header));
  const before = columns.find(column => column.header === header).role;
  if (!NO_ROLE.includes(role)) said[role] = header;
  if (!NO_ROLE.includes(before) && !(before in said)) {
    said[before] = columns.find(column => column.role === before && column.header !== header)?.header ?? '';
  }
  return said;
}

export function columnTable({report, mapping}, changed) {
  if (!report.columns.length) return null;
  const row = column => {
    const roles = NO_ROLE.includes(column.role) ? [...new Set([column.role, ...report.roles])] : report.roles;
    const select = el('select', {
      attrs: {'aria-label': column.header},
      onchange: () => changed(remapped(mapping, report.columns, column.header, select.value)),
    }, ...roles.map(role => el('option', {value: role, textContent: t(`owner_role_${role}`) ?? role, selected: role === column.role})));
    return el('tr', {}, el('td', {textContent: column.header}), el('td', {}, select),
      el('td', {textContent: column.lang ?? ''}), el('td', {className: 'sure', textContent: `${Math.round(column.confidence * 100)} %`}));
  };
  const heads = ['owner_column', 'owner_role', 'owner_lang', 'owner_sure'];
  return el('section', {className: 'columns'}, el('h2', {textContent: t('owner_columns')}),
    el('table', {}, el('thead', {}, el('tr', {}, ...heads.map(key => el('th', {textContent: t(key)})))),
      el('tbody', {}, ...report.columns.map(row))));
}

function finding(each) {
  const where = [each.file, each.row ? t('owner_row', {row: each.row}) : '', each.column].filter(Boolean).join(', ');
  const value = each.value ? `“${each.value}”: ` : '';
  return el('tr', {}, el('td', {textContent: where}), el('td', {textContent: value + each.what}), el('td', {textContent: each.done}));
}

/** The problems by kind, the gravest first. */
export function findings(report, lang) {
  const kinds = Object.keys(report.counts);
  kinds.sort((a, b) => SEVERITIES.indexOf(report.kinds[a].severity) - SEVERITIES.indexOf(report.kinds[b].severity));
  return kinds.map(name => {
    const kind = report.kinds[name], many = report.counts[name];
    const listed = report.findings.filter(each => each.kind === name);
    const more = many - Math.min(listed.length, OF_A_KIND);
    return el('details', {className: `finding ${kind.severity}`, open: kind.severity !== 'note'},
      el('summary', {textContent: `${kind[lang]}: ${number(many)}`}),
      el('p', {className: 'mend', textContent: listed[0]?.mend[lang] ?? ''}),
      el('table', {}, el('tbody', {}, ...listed.slice(0, OF_A_KIND).map(finding))),
      more > 0 ? el('p', {textContent: t('owner_more', {many: number(more)})}) : null);
  });
}
