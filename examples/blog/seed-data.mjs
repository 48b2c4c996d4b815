import { COVERS } from './seed-covers.mjs';

/** Texts of the example. Everything depends on a counter, so the data is the same on every machine. */

export const CATEGORIES = ['Travel', 'Food', 'Science', 'Music', 'Technology', 'Nature', 'History', 'Sport'];
export const TAGS = [
  'beginners, essay, field notes, interview, photo story, long read, short read, opinion, how-to, winter, spring, summer',
  'autumn, city, coast, mountains, family, weekend, budget, local, archive, review, list, question',
].flatMap((line) => line.split(', '));
export const AUTHORS = [
  'Ada Okafor, Ben Lindqvist, Chiara Rossi, Daniel Mbeki, Elif Demir, Farid Nasser, Greta Vogel, Hugo Martin',
  'Ines Carvalho, Jonas Berg, Keiko Tanaka, Liam Byrne, Maya Patel, Noah Fischer, Olga Petrova, Pablo Herrera',
  'Quinn Taylor, Rosa Jansen, Samir Haddad, Tess Walker',
]
  .flatMap((line) => line.split(', '))
  .map((name) => ({
    name,
    email: `${name.toLowerCase().replace(' ', '.')}@example.com`,
    bio: `${name.split(' ')[0]} has written here since the beginning.`,
  }));

const SUBJECTS = {
  Travel: ['the night train to Lisbon', 'a ferry in the fog', 'the last bus of the valley', 'a border town'],
  Food: ['sourdough', 'a market at six in the morning', 'soup for eleven people', 'the perfect tomato'],
  Science: ['the tides', 'a telescope on the balcony', 'lichen', 'the colour of ice'],
  Music: ['a choir without a hall', 'the second violin', 'tape loops', 'songs of the harbour'],
  Technology: ['a router from 1998', 'the paper calendar', 'software that stays small', 'a radio repaired'],
  Nature: ['the heron on the weir', 'moss', 'a hedge in bloom', 'the first frost'],
  History: ['a letter from 1911', 'the town clock', 'a forgotten canal', 'the mapmakers'],
  Sport: ['a marathon at the back', 'rowing before work', 'the village pitch', 'chess in the park'],
};
const TITLES = [
  (it) => `What ${it} taught me`,
  (it) => `In praise of ${it}`,
  (it) => `Notes on ${it}`,
  (it) => `A year with ${it}`,
  (it) => `Everything I got wrong about ${it}`,
  (it) => `Why I keep coming back to ${it}`,
  (it) => `Ten questions about ${it}`,
];
const SENTENCES = [
  'It began, as these things do, with a wrong turn and a borrowed map.',
  'Nobody had told us how quiet it would be.',
  'I had read the books and asked the neighbours, and still I was not ready for it.',
  'The old hands laughed, and then they showed us how it is done.',
  'You need less than you think: patience, dry socks and somebody to talk to.',
  'By the third day the small things had become the whole story.',
  'There is a word for it in the dialect, and none in any other language that I know.',
  'We wrote down the times, the prices and the names, and lost the notebook on the way home.',
  'If you go, go early; if you stay, stay for the evening.',
  'What looks like luck from outside is mostly a habit.',
  'The second attempt was worse, and the third one was the one we still speak of.',
  'I would do it again tomorrow, and I would leave the umbrella at home.',
];
/** Date of the newest post. It is fixed, so that every run creates the same posts. */
const NEWEST = Date.UTC(2026, 0, 1);
const HOURS_APART = 4;

/**
 * Returns the post with a number, from 0 (the newest). It has three tags. Every tenth post is a draft, and two of three have a cover. Author,
 * category, tags and cover are indexes of the lists above and of the covers.
 */
export function postOf(number) {
  const random = randomOf(number);
  const category = random(CATEGORIES.length);
  const subjects = SUBJECTS[CATEGORIES[category]];
  const title = TITLES[random(TITLES.length)](subjects[random(subjects.length)]);
  const isDraft = number % 10 === 9;
  const publishedAt = new Date(NEWEST - (number * HOURS_APART * 60 + random(200)) * 60_000).toISOString();
  return {
    title,
    slug: slugOf(`${title} ${number + 1}`),
    body: bodyOf(random),
    status: isDraft ? 'draft' : 'published',
    published_at: isDraft ? null : publishedAt,
    views: random(5_000),
    author: random(AUTHORS.length),
    category,
    tags: threeOf(TAGS.length, random),
    ...coverOf(number),
  };
}

/** Returns a slug that the setter `slug(value)` of the schema does not change. */
function slugOf(title) {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** Returns three or four paragraphs of three different sentences. */
function bodyOf(random) {
  const left = [...SENTENCES];
  const paragraph = () => Array.from({ length: 3 }, () => left.splice(random(left.length), 1)[0]).join(' ');
  return Array.from({ length: 3 + random(2) }, paragraph).join('\n\n');
}

function coverOf(number) {
  const cover = number % COVERS.length;
  return number % 3 === 2 ? { cover: null, cover_alt: null } : { cover, cover_alt: COVERS[cover].alt };
}

function threeOf(count, random) {
  const chosen = new Set();
  while (chosen.size < 3) chosen.add(random(count));
  return [...chosen];
}

/** Returns a generator of whole numbers below a limit. Equal seeds give equal numbers (mulberry32). */
function randomOf(seed) {
  let state = (seed + 1) * 0x9e3779b1;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
