import { make } from './elements.js';
import { operationView } from './operation-view.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Groups that a filter leaves are opened where they are few. */
const FEW = 6;

const byId = (id) => globalThis.document.getElementById(id);
const place = { status: byId('status'), groups: byId('groups'), operations: byId('operations') };
let shown = [];

byId('token-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void load(byId('token').value.trim());
});
byId('filter').addEventListener('input', () => narrow(byId('filter').value));
globalThis.addEventListener('hashchange', () => reveal());
void load('');

/** Asks for the document of whoever the token says, or of the cookie, or of a guest. The token is kept nowhere. */
async function load(token) {
  place.operations.setAttribute('aria-busy', 'true');
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
  try {
    const response = await fetch('openapi.json', { headers, credentials: 'same-origin' });
    const text = await response.text();
    const body = JSON.parse(text);
    if (!response.ok) return tell(body.message ?? `The document cannot be had (${response.status}).`);
    offer(text);
    show(body);
    narrow(byId('filter').value);
    reveal();
  } catch {
    tell('The service does not answer.');
  } finally {
    place.operations.removeAttribute('aria-busy');
  }
}

/** The very document that is shown can be kept as a file. */
function offer(text) {
  const link = byId('download');
  if (link.href.startsWith('blob:')) URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
}

function tell(text) {
  place.status.textContent = text;
}

function show(openapi) {
  byId('title').textContent = `${openapi.info.title} API`;
  globalThis.document.title = `${openapi.info.title} API`;
  byId('about').textContent = `${openapi.info.description} Base address: ${openapi.servers[0].url}`;
  shown = groupsOf(openapi).map((group) => groupView(openapi, group));
  place.operations.replaceChildren(...shown.map(({ section }) => section));
  place.groups.replaceChildren(...shown.map(({ item }) => item));
}

/** The operations by their tag: the data first, then everything else. */
function groupsOf(openapi) {
  const byTag = new Map(openapi.tags.map(({ name, ...rest }) => [name, { name, ...rest, entries: [] }]));
  for (const [path, operations] of Object.entries(openapi.paths)) {
    for (const method of METHODS) {
      const operation = operations[method];
      if (operation !== undefined) byTag.get(operation.tags[0])?.entries.push({ method, path, operation });
    }
  }
  const groups = [...byTag.values()];
  const isData = (group) => group['x-schema'] !== undefined;
  return [...groups.filter(isData), ...groups.filter((group) => !isData(group))];
}

function groupView(openapi, { name, entries }) {
  const id = `group-${name.replace(/\W+/g, '-')}`;
  const list = make('div', { class: 'list', id: `${id}-list` });
  const count = make('span', { class: 'count' });
  const button = make(
    'button',
    { type: 'button', 'aria-expanded': 'false', 'aria-controls': list.id, click: () => group.open(list.hidden) },
    name,
    count,
  );
  list.hidden = true;
  const section = make('section', { id, 'aria-label': name }, make('h2', {}, button), list);
  const link = make('a', { href: `#${id}`, click: () => group.open(true) }, name);
  const group = {
    section,
    item: make('li', {}, link),
    entries: entries.map((entry) => ({ ...entry, text: textOf(openapi, name, entry), view: null })),
    /** Shows or hides the operations; they are made when they are first shown. */
    open(isOpen) {
      list.hidden = !isOpen;
      button.setAttribute('aria-expanded', String(isOpen));
      if (isOpen) list.replaceChildren(...group.found.map((entry) => (entry.view ??= operationView(openapi, entry))));
    },
    narrow(words) {
      group.found = group.entries.filter(({ text }) => words.every((word) => text.includes(word)));
      const isEmpty = group.found.length === 0;
      section.hidden = isEmpty;
      group.item.hidden = isEmpty;
      count.textContent = ` ${group.found.length}`;
      return group.found.length;
    },
    found: [],
  };
  return group;
}

/** What a filter looks into: path, words, and the fields of the schema. */
function textOf(openapi, name, { method, path, operation }) {
  const schema = JSON.stringify(operation.requestBody ?? '').match(/schemas\/(\w+)/)?.[1];
  const fields = Object.keys(openapi.components.schemas[schema]?.properties ?? {});
  return [name, method, path, operation.summary, operation.operationId, ...fields].join(' ').toLowerCase();
}

function narrow(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const counts = shown.map((group) => group.narrow(words));
  const left = shown.filter((_, at) => counts[at] > 0);
  const isFew = words.length > 0 && left.length <= FEW;
  for (const group of shown) group.open(isFew && left.includes(group));
  const total = counts.reduce((sum, count) => sum + count, 0);
  tell(total === 1 ? '1 operation' : `${total} operations`);
}

/** Opens the operation or the group that the address names. */
function reveal() {
  const id = decodeURIComponent(globalThis.location.hash.slice(1));
  if (id === '') return;
  const group = shown.find(
    ({ section, entries }) => section.id === id || entries.some((one) => one.operation.operationId === id),
  );
  if (group === undefined) return;
  group.open(true);
  const target = byId(id);
  if (target?.tagName === 'DETAILS') target.open = true;
  target?.scrollIntoView();
}
