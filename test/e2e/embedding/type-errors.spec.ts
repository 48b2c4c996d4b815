import { writeFiles } from '../../support/packed-package.mjs';
import { compile, makeConsumer } from '../../support/own-application.js';
import { useServiceHome } from '../../support/service-home.js';
import { readPage } from '../../support/shell-page.js';

/** Mistakes that the compiler finds, with the message, which must name the interface. */
const MISTAKES: readonly (readonly [mistake: string, source: string, sentence: RegExp])[] = [
  [
    'a claim that is not declared',
    `import { TokenClaim } from 'lintel';
     export class Claims { @TokenClaim('x_dept') dept(): string { return ''; } }`,
    /Argument of type '"x_dept"' is not assignable to parameter of type '"Declare the claim in OwnClaims, by a name that begins with x_: declare module 'lintel' \{ interface OwnClaims/,
  ],
  [
    'a misspelt claim',
    `import { TokenClaim } from 'lintel';
     declare module 'lintel' { interface OwnClaims { x_department: string } }
     export class Claims { @TokenClaim('x_departmnet') dept(): string { return ''; } }`,
    /Argument of type '"x_departmnet"' is not assignable to parameter of type '"Declare the claim in OwnClaims/,
  ],
  [
    'a claim with another prefix',
    `import { TokenClaim } from 'lintel';
     export class Claims { @TokenClaim('dept') dept(): string { return ''; } }`,
    /Argument of type '"dept"' is not assignable to parameter of type '"Declare the claim in OwnClaims, by a name that begins with x_/,
  ],
  [
    'a claim of another type',
    `import { TokenClaim } from 'lintel';
     declare module 'lintel' { interface OwnClaims { x_level: number } }
     export class Claims { @TokenClaim('x_level') level(): string { return ''; } }`,
    /Type 'string' is not assignable to type 'number/,
  ],
  [
    'a schema that is not among the declared types',
    `import { Content } from 'lintel';
     declare module 'lintel' { interface ContentTypes { note: { record: { id: string } } } }
     export const notes = (content: Content) => content.as('system').schema('nots');`,
    /Argument of type '"nots"' is not assignable to parameter of type '"note"'/,
  ],
  [
    'an error that is not defined',
    `import { AppError } from 'lintel';
     export const error = new AppError('acme_unheard_of');`,
    /Argument of type '"acme_unheard_of"' is not assignable to parameter of type 'keyof KnownErrors'/,
  ],
  [
    'a port that does not exist',
    `import { defineApp } from 'lintel';
     export const definition = defineApp({ ports: { clocks: class {} } });`,
    /'clocks' does not exist in type 'PortImplementations'/,
  ],
];

describe('a type error of an application', () => {
  const place = useServiceHome();

  beforeAll(() => makeConsumer(place.home.directory, {}));

  it('is not in the sample of docs/guides/extending/directory-sign-in.md', () => {
    const [, source = ''] =
      /```ts\n\/\/ src\/directory\.module\.ts\n(.*?)```/s.exec(readPage('guides/extending/directory-sign-in.md')) ?? [];
    writeFiles(place.home.directory, { 'src/directory.module.ts': source });
    expect(source).toContain('SignInAttempts');
    expect(compile(place.home.directory, ['src/directory.module.ts'])).toEqual([]);
  });

  it.each(MISTAKES)('names the missing declaration: %s', (_mistake, source, sentence) => {
    writeFiles(place.home.directory, { 'src/mistake.ts': source });
    const [message = '', ...more] = compile(place.home.directory, ['src/mistake.ts']);
    expect(message).toMatch(sentence);
    expect(more).toEqual([]);
  });
});
