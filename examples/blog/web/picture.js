import { ask } from './api.js';
import { el } from './page.js';
import { session } from './session.js';

/** The sizes of the field `cover` in schemas/blog.json, in pixels. */
const SIZES = { card: [480, 270], wide: [1280, 720] };
/** What a list or a page of posts asks for, to show their covers. */
export const COVER = 'cover_id,cover_alt,status,published_at';

/** The cover of a post in one of its sizes, which is read when it comes into sight; null where it has none. */
export function coverOf(post, size) {
  if (!post.cover_id) return null;
  const [width, height] = SIZES[size];
  const picture = el('img', { alt: post.cover_alt ?? '', width, height, loading: 'lazy', decoding: 'async' });
  const frame = el('div', { class: `cover ${size}` }, picture);
  // Taken away meanwhile, or held back until it has been looked at: the post stands without it.
  picture.addEventListener('error', () => frame.remove());
  addressOf(post, size).then(
    (address) => (picture.src = address),
    () => frame.remove(),
  );
  return frame;
}

/**
 * An `<img>` sends no token. What everybody may read has its plain address, which caches keep; of anything else the service is asked
 * for an address that is good by itself, for an hour, and no longer than this session.
 */
async function addressOf({ cover_id: id, status, published_at: publishedAt }, size) {
  const isPublic = status === 'published' && new Date(publishedAt) <= new Date();
  if (isPublic || session() === null) return `/api/files/${id}?size=${size}`;
  const { body } = await ask('POST', `/files/${id}/url`, { body: { size, expires_in: 3_600, session: true } });
  const { pathname, search } = new URL(body.data.url);
  return pathname + search;
}
