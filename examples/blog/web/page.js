import { ask } from './api.js';
import { forgetSession, session } from './session.js';

/**
 * Creates an element. Text is not parsed as HTML.
 *
 * @param {string} tag
 * @param {Record<string, string | boolean | undefined>} attributes undefined and false values are omitted.
 * @param {...(Node | string | null | undefined)} children
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Returns the element with an id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Creates a `<time>` element. */
export function date(iso) {
  const text = new Intl.DateTimeFormat('en', { dateStyle: 'long' }).format(new Date(iso));
  return el('time', { datetime: iso }, text);
}

/** Creates the line with status, author, date and category. */
export function byline({ author, published_at: publishedAt, status, category }) {
  return el(
    'p',
    { class: 'byline' },
    status === 'draft' ? el('span', { class: 'badge' }, 'Draft') : null,
    el('span', {}, author?.name ?? 'Unknown'),
    publishedAt ? date(publishedAt) : null,
    category ? el('a', { href: listOf({ category: category.slug }) }, category.name) : null,
  );
}

/** Creates the tags of a post, as links to the filtered list. */
export function tagList(tags) {
  if (tags.length === 0) return null;
  const items = tags.map(({ name }) => el('li', {}, el('a', { href: listOf({ tag: name }) }, name)));
  return el('ul', { class: 'tags', 'aria-label': 'Tags' }, ...items);
}

/** Returns the address of the list with filters. */
export function listOf(filters) {
  const given = Object.entries(filters).filter(([, value]) => value);
  return given.length === 0 ? './' : `./?${new URLSearchParams(given)}`;
}

/** Loads a page, and shows a loading text or an error. */
export async function run(work) {
  const status = byId('status');
  const timer = setTimeout(() => (status.textContent = 'Loading…'), 300);
  try {
    await work();
    status.replaceChildren();
  } catch (error) {
    status.replaceChildren(el('p', { class: 'problem', role: 'alert' }, error.message));
  } finally {
    clearTimeout(timer);
    showPerson();
  }
}

/** Shows the links of the signed-in user, or the sign-in link. */
function showPerson() {
  const person = session();
  const corner = byId('person');
  if (person === null) return corner.replaceChildren(el('a', { href: 'sign-in.html' }, 'Sign in'));
  const signOut = el('button', { type: 'button', class: 'plain' }, 'Sign out');
  signOut.addEventListener('click', () => void leave());
  return corner.replaceChildren(
    el('a', { href: listOf({ status: 'draft' }) }, 'Drafts'),
    el('a', { href: 'write.html' }, 'Write'),
    signOut,
  );
}

async function leave() {
  await ask('POST', '/auth/logout').catch(() => undefined);
  forgetSession();
  location.assign('./');
}

showPerson();
