import { ask } from './api.js';
import { forgetSession, session } from './session.js';

/**
 * An element. Text is never read as HTML.
 *
 * @param {string} tag
 * @param {Record<string, string | boolean | undefined>} attributes those that are undefined or false are left out.
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

/** The element of an id. */
export function byId(id) {
  return document.getElementById(id);
}

/** A date, for people and for programs. */
export function date(iso) {
  const text = new Intl.DateTimeFormat('en', { dateStyle: 'long' }).format(new Date(iso));
  return el('time', { datetime: iso }, text);
}

/** Who wrote it, when and where, and whether it is a draft. */
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

/** The tags of a post, each a link to the posts that have it. */
export function tagList(tags) {
  if (tags.length === 0) return null;
  const items = tags.map(({ name }) => el('li', {}, el('a', { href: listOf({ tag: name }) }, name)));
  return el('ul', { class: 'tags', 'aria-label': 'Tags' }, ...items);
}

/** The address of the list with so many of its filters. */
export function listOf(filters) {
  const given = Object.entries(filters).filter(([, value]) => value);
  return given.length === 0 ? './' : `./?${new URLSearchParams(given)}`;
}

/** Runs what a page does: it says so while it takes long, and what went wrong in words. */
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

/** The corner of the page that says who is signed in. */
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
