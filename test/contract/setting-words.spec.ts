import { service as german } from '../../dash/src/texts/de/service.js';
import { documentedDefault } from '../../src/platform/config/documentation.js';
import { applicationVariables } from '../../src/app.module.js';

describe('defaults of settings that are texts', () => {
  it('are translated to German, too', () => {
    const words = applicationVariables()
      .flatMap(({ variables }) => Object.values(variables))
      .map(documentedDefault)
      .filter((text) => /[a-z]{2} [a-z(`]|\(/.test(text));
    expect(words).toContain('created at the first start in $DATA_DIR/app.key');
    expect(Object.keys(german.settings.defaults).sort()).toEqual([...new Set(words)].sort());
  });
});
