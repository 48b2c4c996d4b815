import { Inject, Injectable, Module } from '@nestjs/common';
import { applicationVariables, parseAppConfig } from '../../../src/app.module.js';
import { configurationInForce, parseBoolean, parseInteger } from '../../../src/platform/config/config.public.js';
import { DeclaresVariables, defineVariables, type ValuesOf } from '../../../src/platform/config/variables.js';
import { useTestApp } from '../../support/test-app.js';

const ACME = defineVariables('Acme', {
  ACME_SOUPS: { default: 10, parse: parseInteger(1, 100), meaning: 'soups a day' },
  ACME_SECRET: { secret: true, parse: (text) => text, meaning: 'recipe' },
});

@Injectable()
class Kitchen {
  constructor(@Inject(ACME.token) readonly settings: ValuesOf<typeof ACME.variables>) {}

  /** Compiles only if the values have the types of their parsers. */
  soups(): number {
    return this.settings.ACME_SOUPS + (this.settings.ACME_SECRET?.length ?? 0);
  }
}

@DeclaresVariables(ACME)
@Module({ providers: [Kitchen] })
class KitchenModule {}

@Module({ imports: [KitchenModule] })
class AcmeModule {}

const modules = [AcmeModule];

describe('variables of a module of the team', () => {
  const world = useTestApp({ modules, env: { ACME_SOUPS: '12' } });

  it('are injected, frozen, with their types', () => {
    const kitchen = world.app.get(Kitchen);
    expect(kitchen.settings).toEqual({ ACME_SOUPS: 12, ACME_SECRET: undefined });
    expect(Object.isFrozen(kitchen.settings)).toBe(true);
    expect(kitchen.soups()).toBe(12);
  });

  it('are validated together with those of the service, in one error', () =>
    expect(() => parseAppConfig({ PORT: 'x', ACME_SOUPS: '0' }, { modules })).toThrow(
      'The configuration is not valid:\n  - PORT must be a whole number from 0 to 65535\n  - ACME_SOUPS must be a whole number from 1 to 100',
    ));

  it('are listed with those of the service, with secrets masked', () => {
    const environment = { ACME_SECRET: 'basil' };
    const config = parseAppConfig(environment, { modules });
    const rows = configurationInForce(config, applicationVariables({ modules }));
    expect(rows.filter(({ name }) => name.startsWith('ACME_'))).toEqual([
      { name: 'ACME_SOUPS', value: '10', source: 'default' },
      { name: 'ACME_SECRET', value: '••••••••', source: 'set' },
    ]);
    expect(JSON.stringify(rows)).not.toContain('basil');
  });

  it('that exist already stop the start with both owners', () => {
    @DeclaresVariables(
      defineVariables('Acme', { AUTH_OTP_ENABLED: { default: false, parse: parseBoolean, meaning: 'codes' } }),
    )
    @Module({})
    class SecondModule {}
    expect(() => parseAppConfig({}, { modules: [SecondModule] })).toThrow(
      /^OtpModule and SecondModule both declare the variable AUTH_OTP_ENABLED\. Rename one of them\.$/,
    );
  });
});
