/**
 * Part of `npm run check`: fails if an area of the texts is above the targets of `prose.mjs`.
 * `node scripts/texts.mjs --show 'command line'` also prints the sentences of an area that match a pattern.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  markdownParagraphs,
  MAX_LONG_SENTENCES,
  MAX_MEAN_WORDS,
  measure,
  PATTERNS,
  sentencesOf,
  sourceTexts,
  testNames,
} from './prose.mjs';
import { ROOT } from './run.mjs';

/** Areas that do not meet the targets yet, with the values that they may not exceed. */
const PENDING = {
  docs: { what: 0.6 },
  'test names': { what: 1.5 },
  'comments of tools': { what: 2.7, tell: 0.4, who: 1.4 },
};

const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const list = (folder, pattern) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => pattern.test(path) && !/node_modules|\/dist\//.test(path))
    .sort();
const isTest = (path) => /\.spec\.|\/test\//.test(path);

const OPENAPI = 'dash/src/api/openapi.ts';
const CATALOGUE = list('dash/src/texts/en', /\.ts$/);
const source = list('src', /\.ts$/).filter((path) => !isTest(path));
const packages = list('packages', /\.ts$/).filter((path) => !isTest(path));
const pages = list('dash/src', /\.tsx?$/).filter((path) => path !== OPENAPI && !isTest(path));
const tests = ['src', 'packages', 'dash/src', 'test'].flatMap((folder) =>
  list(folder, /\.spec\.ts$|\/test\/.*\.ts$|^test\/.*\.(?:ts|[cm]js)$/),
);
const tools = ['scripts', 'bench', 'examples', 'docker', '.ci'].flatMap((folder) => list(folder, /\.[cm]?js$|\.ts$/));
const isCommand = (path) => /^src\/edge\/cli\/|\.commands?\.ts$/.test(path);
const comments = (paths) => paths.flatMap((path) => sourceTexts(read(path)).comments);
const texts = (paths) => paths.flatMap((path) => sourceTexts(read(path)).texts);

const decisions = (path) => path.startsWith('docs/internals/adr/');
const docs = [...list('docs', /\.md$/), 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
const readmes = ['packages', 'test', 'dash', 'examples', 'docker', 'bench'].flatMap((folder) => list(folder, /\.md$/));
const markdown = (paths) => paths.flatMap((path) => markdownParagraphs(read(path)));

const AREAS = {
  docs: markdown(docs.filter((path) => !decisions(path))),
  decisions: markdown(docs.filter(decisions)),
  readmes: markdown(readmes),
  'comments of src': comments(source),
  'comments of packages': comments(packages),
  'comments of dash': comments(pages),
  'comments of tests': comments(tests),
  'comments of tools': comments(tools),
  'test names': tests.flatMap((path) => testNames(read(path))),
  'OpenAPI texts': comments([OPENAPI]),
  'command line': texts(source.filter(isCommand)),
  'messages of src': texts(source.filter((path) => !isCommand(path))),
  'messages of packages': texts(packages),
  console: texts([...CATALOGUE, ...pages.filter((path) => !path.startsWith('dash/src/texts/'))]),
};

const rows = Object.entries(AREAS).map(([area, paragraphs]) => ({ area, ...measure(paragraphs) }));
const width = Math.max(...rows.map(({ area }) => area.length));
console.log(
  ['per 1,000 words'.padEnd(width), ' words', ...Object.keys(PATTERNS)].join('  ') + '  words/sentence  over 30',
);
const failures = [];
if (process.argv[2] === '--show') show(process.argv[3]);
for (const row of rows) {
  const cells = [row.area.padEnd(width), String(row.words).padStart(6)];
  for (const [name, { target }] of Object.entries(PATTERNS)) {
    const density = (1000 * row.counts[name]) / row.words;
    limit(row.area, name, density, target);
    cells.push(density.toFixed(2).padStart(name.length));
  }
  if (row.area === 'docs' || row.area === 'decisions') {
    limit(row.area, 'words/sentence', row.meanWords, MAX_MEAN_WORDS);
    limit(row.area, 'over 30', row.longPercent, MAX_LONG_SENTENCES);
  }
  console.log(
    [...cells, row.meanWords.toFixed(1).padStart(14), `${row.longPercent.toFixed(1)} %`.padStart(7)].join('  '),
  );
}
for (const failure of failures) console.error(failure);
process.exit(failures.length === 0 ? 0 : 1);

function limit(area, name, value, target) {
  const pending = PENDING[area]?.[name];
  if (value > (pending ?? target))
    failures.push(`${area}: "${name}" is ${value.toFixed(2)}; at most ${pending ?? target}.`);
}

function show(area) {
  for (const sentence of AREAS[area].flatMap(sentencesOf).filter((text) => !text.endsWith('?')))
    for (const [name, { pattern }] of Object.entries(PATTERNS))
      if (sentence.match(pattern) !== null) console.log(`${name}: ${sentence}`);
}
