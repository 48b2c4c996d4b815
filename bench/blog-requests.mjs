const SELECT = 'id,title,slug,views,published_at,category.name,tags.name';
const PAGE = { select: SELECT, sort: '-published_at', limit: '20' };

export function listPath(parameters) {
  return `/api/content/posts?${new URLSearchParams({ ...PAGE, ...parameters })}`;
}

const LIST = { filter: '{"status":"published","views":{"$gte":10}}' };
const RELATION = { filter: '{"tags.name":"Tag 8","category.slug":"category-8"}' };

/** Measured requests. Placeholders: `{id}` is a post id, `{new}` a unique word, the others the id of a record of that kind. */
export const REQUESTS = {
  get: { method: 'GET', path: '/api/content/posts/{id}' },
  list: { method: 'GET', path: listPath({ ...LIST, count: 'none' }) },
  '+ total': { method: 'GET', path: listPath(LIST) },
  relation: { method: 'GET', path: listPath(RELATION) },
  create: {
    method: 'POST',
    path: '/api/content/posts',
    body: {
      title: 'A new post',
      slug: '{new}',
      body: 'Some words of a post. '.repeat(20),
      author: '{author}',
      category: '{category}',
      tags: ['{tag1}', '{tag2}', '{tag3}'],
    },
  },
  patch: { method: 'PATCH', path: '/api/content/posts/{id}', body: { title: 'A title of {new}', views: 7 } },
};

export function fill({ method, path, body }, values) {
  const replace = (text) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  return { method, path: replace(path), body: body === undefined ? undefined : replace(JSON.stringify(body)) };
}

export function varies({ path, body }) {
  return /\{(id|new)\}/.test(path + JSON.stringify(body ?? ''));
}
