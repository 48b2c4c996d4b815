import { ask } from './api.js';
import { el } from './page.js';
import { session } from './session.js';

/** The sizes of the field `cover` in schemas/blog.json, in pixels. */
const SIZES = { card: [480, 270], wide: [1280, 720] };
/** Fields of a post that are needed to show its cover. */
export const COVER = 'cover_id,cover_alt,status,published_at';

/** Creates the cover of a post in a size, loaded when it becomes visible. Null without a cover. */
export function coverOf(post, size) {
  if (!post.cover_id) return null;
  const [width, height] = SIZES[size];
  const image = el('img', { alt: post.cover_alt ?? '', width, height, loading: 'lazy', decoding: 'async' });
  const frame = el('div', { class: `cover ${size}` }, image);
  // The file was deleted, or is not scanned yet. The post is shown without it.
  image.addEventListener('error', () => frame.remove());
  addressOf(post, size).then(
    (address) => (image.src = address),
    () => frame.remove(),
  );
  return frame;
}

/**
 * An `<img>` sends no token. A public cover has a plain address, which caches store. For other covers the server creates a signed URL,
 * valid for one hour and while this session exists.
 */
async function addressOf({ cover_id: id, status, published_at: publishedAt }, size) {
  const isPublic = status === 'published' && new Date(publishedAt) <= new Date();
  if (isPublic || session() === null) return `/api/files/${id}?size=${size}`;
  const { body } = await ask('POST', `/files/${id}/url`, { body: { size, expires_in: 3_600, session: true } });
  const { pathname, search } = new URL(body.data.url);
  return pathname + search;
}
