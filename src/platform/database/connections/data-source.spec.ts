import { createDataSource } from './data-source.js';

describe('connection timeout of a data source', () => {
  it.each([
    ['a statement timeout', 5_000, 2_000],
    ['no statement timeout, as for migrations', 0, 10_000],
  ])('with %s', (_what, statementTimeoutMs, connectTimeoutMS) => {
    const address = { url: 'postgres://lintel@127.0.0.1/lintel' };
    const { options } = createDataSource({ address, entities: [], poolSize: 1, statementTimeoutMs });
    expect(options).toMatchObject({ connectTimeoutMS });
  });
});
