import { list } from './api.js';
import { byId, byline, el, listOf, run, tagList } from './page.js';
import { COVER, coverOf } from './cover-image.js';

const SELECT = `title,slug,body,author.name,category.name,category.slug,tags.name,${COVER}`;
/** Parameters of the address. The filter form and all links only change the address. */
const asked = Object.fromEntries(new URLSearchParams(location.search));

void run(async () => {
  const [page, categories, tags] = await Promise.all([
    list('posts', {
      select: SELECT,
      filter: filterOf(asked),
      sort: asked.status === 'draft' ? '-created_at' : '-published_at',
      limit: '12',
      cursor: asked.cursor ?? '',
    }),
    list('categories', { select: 'name,slug', sort: 'name', limit: '100', count: 'none' }),
    list('tags', { select: 'name', sort: 'name', limit: '100', count: 'none' }),
  ]);
  showFilters(categories.items, tags.items);
  showPosts(page);
});

/** Contains only the selected conditions. */
function filterOf({ q, category, tag, status }) {
  return {
    status: status === 'draft' ? 'draft' : 'published',
    ...(category ? { 'category.slug': category } : {}),
    ...(tag ? { 'tags.name': tag } : {}),
    ...(q?.trim() ? { $search: q } : {}),
  };
}

function showFilters(categories, tags) {
  byId('q').value = asked.q ?? '';
  byId('category').append(...categories.map(({ name, slug }) => option(slug, name, asked.category)));
  byId('tag').append(...tags.map(({ name }) => option(name, name, asked.tag)));
  if (asked.status) byId('filters').append(el('input', { type: 'hidden', name: 'status', value: asked.status }));
  const { cursor: _cursor, status: _status, ...filters } = asked;
  byId('clear').hidden = Object.values(filters).every((value) => value === '');
  byId('clear').href = listOf({ status: asked.status });
  if (asked.status === 'draft') document.querySelector('h1').textContent = 'Drafts';
}

function option(value, label, chosen) {
  return el('option', { value, selected: value === chosen }, label);
}

function showPosts({ items, next_cursor: next }) {
  byId('posts').replaceChildren(...items.map(entry));
  byId('none').hidden = items.length > 0;
  if (asked.cursor) byId('none').textContent = 'No more posts.';
  byId('newest').hidden = !asked.cursor;
  byId('newest').href = listOf({ ...asked, cursor: '' });
  byId('older').hidden = next === null;
  byId('older').href = listOf({ ...asked, cursor: next });
}

function entry(post) {
  const link = el('a', { href: `post.html?${new URLSearchParams({ slug: post.slug })}` }, post.title);
  const excerpt = el('p', { class: 'excerpt' }, post.body);
  const text = el('div', {}, el('h2', {}, link), byline(post), excerpt, tagList(post.tags));
  return el('li', {}, el('article', {}, text, coverOf(post, 'card')));
}
