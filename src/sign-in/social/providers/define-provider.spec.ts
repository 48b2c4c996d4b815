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
  it('collects the providers of modules and their imports', () => {
    @Module({ imports: [offering(openId)] })
    class Outer {}
    const names = providersOf([Outer, offering({ name: 'plain', endpoints, scopes: ['user'], identity })]);
    expect(names.map(({ name }) => name)).toEqual(['acme', 'plain']);
  });

  it.each<[string, object, string]>([
    ['a name with upper-case letters', { ...openId, name: 'Acme' }, 'The provider "Acme" must have another name'],
    ['a reserved name', { ...openId, name: 'local' }, 'The provider "local" must have another name'],
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
    ['no scopes', { ...openId, scopes: undefined }, 'must have a list of scopes without spaces'],
    ['scopes in one text', { ...openId, scopes: ['email profile'] }, 'must have a list of scopes without spaces'],
    [
      'a reserved setting name',
      { ...openId, settings: { issuer: { expects: 'x', accepts: () => true } } },
      'must rename its setting issuer',
    ],
    [
      'a setting without a check',
      { ...openId, settings: { tenant: {} } },
      'must define expects and a function accept for its setting tenant',
    ],
    [
      'a secret signed by what is no setting',
      { ...openId, clientSecret: { needs: ['key'], sign: async () => '' } },
      'uses key to sign its secret, which is not one of its settings',
    ],
    ['a promise of a yes', { ...openId, acceptsIssuer: async () => true }, 'must return acceptsIssuer synchronously'],
    [
      'a setting that is accepted later',
      { ...openId, settings: { tenant: { expects: 'x', accepts: async () => true } } },
      'must return tenant synchronously',
    ],
  ])('rejects %s', (_, definition, message) => {
    expect(() => providersOf([offering(definition)])).toThrow(expect.objectContaining({ name: 'DefinitionError' }));
    expect(() => providersOf([offering(definition)])).toThrow(message);
  });

  it('rejects values not created by defineProvider, and duplicate names', () => {
    @OffersProviders(openId)
    @Module({})
    class Plain {}
    expect(() => providersOf([Plain])).toThrow('providers contains an entry that is not a result of defineProvider().');
    expect(() => providersOf([offering(openId), offering(openId)])).toThrow(
      'Offering declares the provider acme twice. Keep one of them.',
    );
  });
});
