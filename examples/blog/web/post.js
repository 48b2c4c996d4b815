import { list } from './api.js';
import { byId, byline, el, run, tagList } from './page.js';
import { COVER, coverOf } from './cover-image.js';
import { session } from './session.js';

const SELECT = `id,title,body,author.name,author.account,category.name,category.slug,tags.name,${COVER}`;
/** Guests cannot select `account`: a field without permission is rejected like an unknown one. */
const GUEST_SELECT = SELECT.replace('author.account,', '');

void run(async () => {
  const slug = new URLSearchParams(location.search).get('slug') ?? '';
  const select = session() === null ? GUEST_SELECT : SELECT;
  const { items } = await list('posts', { select, filter: { slug }, limit: '1', count: 'none' });
  const [post] = items;
  if (post === undefined) return byId('post').replaceChildren(el('h1', {}, 'Post not found'));
  document.title = `${post.title} · Blog`;
  return byId('post').replaceChildren(
    el('h1', {}, post.title),
    byline(post),
    coverOf(post, 'wide') ?? '',
    el('div', { class: 'body' }, ...post.body.split(/\n{2,}/).map((paragraph) => el('p', {}, paragraph))),
    tagList(post.tags) ?? '',
    mayEdit(post) ? el('p', {}, el('a', { href: `write.html?id=${post.id}` }, 'Edit this post')) : '',
  );
});

/** Decides only whether the link is shown. The server checks each change. */
function mayEdit({ author }) {
  const person = session();
  return person !== null && author?.account === person.id;
}
