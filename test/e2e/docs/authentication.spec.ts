import { useServiceHome } from '../../support/service-home.js';
import { ACCOUNT_PAGES, isAsShown, pageParts, readPage, runBlocks } from '../../support/shell-page.js';

describe('the guides about accounts', () => {
  const place = useServiceHome();
  const parts = pageParts(readPage(...ACCOUNT_PAGES));
  /** Functions that the first page defines before its first request. They apply to every part. */
  const functions = parts[0]!.blocks[0]!.replace(/^curl[^]*/m, '');

  it('starts the service twice: with links, and with typed codes', () => {
    expect(parts.map(({ blocks }) => blocks.length)).toEqual([14, 1]);
    expect(parts.map(({ env }) => Object.keys(env))).toEqual([
      ['AUTH_OTP_ENABLED', 'AUTH_ENABLE_REFRESH_TOKEN', 'AUTH'],
      ['AUTH'],
    ]);
  });

  it.each(parts.map((part, index) => [index + 1, part] as const))(
    'part %i: every command works and returns what the page shows',
    async (index, { env, blocks }) => {
      const service = await place.home.start({ env });
      try {
        const variables = { BASE: service.url, DATA_DIR: place.home.dataDir };
        const run = await runBlocks(index === 1 ? blocks : [functions, ...blocks], variables, place.home.directory);
        for (const { block, printed, expected } of run) {
          const wrong = expected.filter((line, at) => !isAsShown(printed[at] ?? '', line));
          expect({ block, printed, wrong }).toEqual({ block, printed, wrong: [] });
          expect([block, printed.length]).toEqual([block, expected.length]);
        }
      } finally {
        await service.stop();
      }
    },
    180_000,
  );
});

describe('docs/guides/sign-in/web-apps.md', () => {
  const place = useServiceHome();
  const [part, ...others] = pageParts(readPage('guides/sign-in/web-apps.md'));

  it('every command works and returns what the page shows', async () => {
    expect(others).toEqual([]);
    const { env, blocks } = part!;
    const service = await place.home.start({ env });
    try {
      const run = await runBlocks(blocks, { BASE: service.url }, place.home.directory);
      for (const { block, printed, expected } of run) {
        const wrong = expected.filter((line, at) => !isAsShown(printed[at] ?? '', line));
        expect({ block, printed, wrong }).toEqual({ block, printed, wrong: [] });
        expect([block, printed.length]).toEqual([block, expected.length]);
      }
    } finally {
      await service.stop();
    }
  }, 180_000);
});
