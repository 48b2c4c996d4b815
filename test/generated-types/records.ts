/** A front end with the types of `schema:types`. `run.mjs` compiles it, but does not run it. */
import type {
  CountAnswer,
  ErrorAnswer,
  FileRecord,
  ListAnswer,
  Post,
  PostCreate,
  PostFilter,
  PostSort,
  RecordAnswer,
  Records,
  Schemas,
  SessionRecord,
} from './schema';

/** Sends a file. The schema type `File` does not conflict with the type of the browser. */
export const upload = (file: File, known: FileRecord, session: SessionRecord): string[] => [
  file.name,
  known.id,
  session.id,
];

export function words(post: Post, list: ListAnswer<Post>, one: RecordAnswer<Post>, count: CountAnswer): string {
  const author: string = post.author?.name ?? '';
  const tags: string[] = post.tags?.map(({ name }) => name) ?? [];
  const published: string | null = one.data.published_at;
  return [author, ...tags, published, list.data.items[0]?.title, count.data.count].join(' ');
}

export const made: PostCreate = {
  title: 'Soup',
  slug: 'soup',
  body: 'Boil.',
  author: { name: 'Ann', email: 'ann@example.com' },
  category: '01900000-0000-7000-8000-000000000000',
  tags: [{ name: 'soup' }, '01900000-0000-7000-8000-000000000001'],
};

// @ts-expect-error a post needs a title
export const untitled: PostCreate = { slug: 'a', body: 'b', author: 'c', category: 'd' };
// @ts-expect-error unknown status
export const gone: PostCreate = { ...made, status: 'gone' };

export const filter: PostFilter = {
  status: 'published',
  views: { $gte: 10 },
  'author.name': { $ilike: 'a%' },
  tags: { $some: { name: { $in: ['soup'] } } },
  $or: [{ $search: 'soup' }, { published_at: null }],
};

// @ts-expect-error numbers have no text operators
export const searched: PostFilter = { views: { $like: 'x' } };

export const sorts: PostSort[] = ['-published_at', 'title', 'author.name'];
// @ts-expect-error unknown field
export const unsorted: PostSort = 'colour';

export const isInvalidQuery = ({ data }: ErrorAnswer): boolean =>
  data.error === 'query_invalid' && data.errors?.length === 1;
// @ts-expect-error unknown error
export const misspelt = ({ data }: ErrorAnswer): boolean => data.error === 'query_invalied';

export const byName = <Name extends keyof Records>(name: Name, record: Records[Name]): [Name, Records[Name]] => [
  name,
  record,
];
export const create: Schemas['post']['create'] = made;
