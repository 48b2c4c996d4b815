import { Module } from '@nestjs/common';
import { defineProvider, OffersProviders, providersOf } from './define-provider.js';
import type { ProviderDefinition } from './provider-definition.types.js';

const endpoints = {
  authorization: 'https://acme.example/authorize',
  token: 'https://acme.example/token',
  profile: 'https://acme.example/me',
};
const identity = () => ({ subject: 1 });
const openId = { name: 'acme', issuer: 'https://acme.example', scopes: [] };

function offering(...definitions: readonly object[]) {
  @OffersProviders(...definitions.map((definition) => defineProvider(definition as ProviderDefinition)))
  @Module({})
  class Offering {}
  return Offering;
}

describe('providersOf', () => {
  it('collects what modules, and those that they import, offer', () => {
    @Module({ imports: [offering(openId)] })
    class Outer {}
    const names = providersOf([Outer, offering({ name: 'plain', endpoints, scopes: ['user'], identity })]);
    expect(names.map(({ name }) => name)).toEqual(['acme', 'plain']);
  });

  it.each<[string, object, string]>([
    ['a name in capitals', { ...openId, name: 'Acme' }, 'The provider "Acme" must have another name'],
    ['a name of a route of ours', { ...openId, name: 'local' }, 'The provider "local" must have another name'],
    ['no name', { ...openId, name: undefined }, 'The provider undefined must have another name'],
    [
      'neither issuer nor endpoints',
      { name: 'acme', scopes: [] },
      'must have either an issuer (OpenID Connect) or endpoints',
    ],
    [
      'issuer and endpoints',
      { ...openId, endpoints, identity },
      'must have either an issuer (OpenID Connect) or endpoints',
    ],
    ['an issuer of another type', { ...openId, issuer: 7 }, 'must have an address as its issuer'],
    ['endpoints without identity', { name: 'acme', endpoints, scopes: [] }, 'must have a function identity'],
    ['no scopes', { ...openId, scopes: undefined }, 'must have a list of scopes, each a word'],
    ['scopes in one text', { ...openId, scopes: ['email profile'] }, 'must have a list of scopes, each a word'],
    [
      'a setting of ours',
      { ...openId, settings: { issuer: { expects: 'x', accepts: () => true } } },
      'must name its setting issuer otherwise',
    ],
    [
      'a setting that nothing checks',
      { ...openId, settings: { tenant: {} } },
      'must say of its setting tenant what it expects',
    ],
    [
      'a secret signed by what is no setting',
      { ...openId, clientSecret: { needs: ['key'], sign: async () => '' } },
      'signs its secret by key, which its settings do not name',
    ],
    ['a promise of a yes', { ...openId, acceptsIssuer: async () => true }, 'must answer acceptsIssuer at once'],
    [
      'a setting that is accepted later',
      { ...openId, settings: { tenant: { expects: 'x', accepts: async () => true } } },
      'must answer tenant at once',
    ],
  ])('refuses %s', (_, definition, sentence) => {
    expect(() => providersOf([offering(definition)])).toThrow(expect.objectContaining({ name: 'DefinitionError' }));
    expect(() => providersOf([offering(definition)])).toThrow(sentence);
  });

  it('refuses what defineProvider did not make, and two of one name', () => {
    @OffersProviders(openId)
    @Module({})
    class Plain {}
    expect(() => providersOf([Plain])).toThrow('providers holds what defineProvider did not make.');
    expect(() => providersOf([offering(openId), offering(openId)])).toThrow(
      'Offering declares the provider acme twice: keep one of them.',
    );
  });
});
