import { ask, list } from './api.js';
import { showCover, writtenCover } from './cover.js';
import { showFaults } from './form.js';
import { byId, el, run } from './page.js';
import { COVER } from './cover-image.js';
import { session } from './session.js';

const OWN = `title,slug,body,category.id,tags.id,${COVER}`;
const id = new URLSearchParams(location.search).get('id');
const person = session();
const form = byId('write');
/** ETag of the post when it was read. The server rejects the change of a newer version (412). */
let etag = null;
/** Author record of this account, or null before its first post. */
let author = null;
/** The last request and its `Idempotency-Key`. A repeated request uses the same key. */
let tried = { text: '', key: '' };

if (person === null) location.replace('sign-in.html?next=write.html');
else
  void run(async () => {
    const all = { sort: 'name', limit: '100', count: 'none' };
    const [categories, tags, authors] = await Promise.all([
      list('categories', { select: 'id,name', ...all }),
      list('tags', { select: 'id,name', ...all }),
      list('authors', { select: 'id,name', filter: { account: person.id }, count: 'none' }),
    ]);
    byId('category').append(...categories.items.map((category) => el('option', { value: category.id }, category.name)));
    byId('tags').append(...tags.items.map(tagBox));
    author = authors.items[0] ?? null;
    byId('author-field').hidden = author !== null;
    if (id !== null) await fillIn();
    form.hidden = false;
  });

byId('title').addEventListener('input', () => {
  if (id === null && !byId('slug').dataset.touched) byId('slug').value = slugOf(byId('title').value);
});
byId('slug').addEventListener('input', () => (byId('slug').dataset.touched = 'true'));
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void save(event.submitter.value);
});

/** Loads an existing post into the form. */
async function fillIn() {
  const { body, headers } = await ask('GET', `/content/posts/${encodeURIComponent(id)}`, { query: { select: OWN } });
  etag = headers.get('etag');
  const post = body.data;
  document.querySelector('h1').textContent = 'Edit post';
  for (const name of ['title', 'slug', 'body']) byId(name).value = post[name];
  byId('category').value = post.category?.id ?? '';
  showCover(post);
  for (const tag of post.tags) form.querySelector(`input[value="${CSS.escape(tag.id)}"]`).checked = true;
}

async function save(status) {
  const buttons = form.querySelectorAll('button');
  for (const button of buttons) button.disabled = true;
  try {
    const { body } = await send({ ...written(status), ...(await writtenCover()) });
    location.assign(`post.html?${new URLSearchParams({ slug: body.data.slug })}`);
  } catch (error) {
    for (const button of buttons) button.disabled = false;
    showFaults(form, error);
  }
}

function send(post) {
  const query = { select: 'slug' };
  if (id !== null) {
    return ask('PATCH', `/content/posts/${encodeURIComponent(id)}`, {
      query,
      body: post,
      headers: { 'if-match': etag },
    });
  }
  const text = JSON.stringify(post);
  if (tried.text !== text) tried = { text, key: crypto.randomUUID() };
  return ask('POST', '/content/posts', { query, body: post, headers: { 'idempotency-key': tried.key } });
}

/** Returns the values of the form. Empty inputs are null, and the server reports the required ones. */
function written(status) {
  const fields = new FormData(form);
  const text = (name) => fields.get(name)?.trim() || null;
  return {
    title: text('title'),
    slug: text('slug'),
    body: text('body'),
    status,
    ...(status === 'published' ? { published_at: 'now' } : {}),
    category: fields.get('category') || null,
    tags: fields.getAll('tags'),
    ...(id === null ? { author: author?.id ?? firstAuthor(text('author')) } : {}),
  };
}

/** The first post of an account creates its author in the same request. */
function firstAuthor(name) {
  return { name, email: person.email, account: person.id };
}

function tagBox(tag) {
  return el('label', { class: 'box' }, el('input', { type: 'checkbox', name: 'tags', value: tag.id }), tag.name);
}

/** Suggests a slug. The server computes the final one. */
function slugOf(title) {
  return title
    .toLowerCase()
    .split(/[^\p{Letter}\p{Number}]+/u)
    .filter(Boolean)
    .join('-');
}
