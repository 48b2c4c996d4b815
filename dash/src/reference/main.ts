import './reference.css';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { addressOf, serviceAddress } from '../api/base-path.js';
import { accessToken, isSignedIn } from '../session/tokens.js';
import { type OpenApi, readDocument } from './open-api.js';
import { matchesTerms, referencePlugin, type ShownDocument, termsOf } from './plugin.js';
import { searchTexts, shownDocument } from './shown-document.js';

const ADDRESS = addressOf('/api/openapi.json');
const UNNAMED = [
  ...['input', 'select', 'textarea'].map((field) => `tr[data-param-name] ${field}:not([aria-label])`),
  '.opblock-section-request-body textarea:not([aria-label])',
  'pre.microlight:not([tabindex])',
].join();
const elementById = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no ${id}.`);
  return found;
};
const [tokenField, filterField] = ['token', 'filter'].map(elementById) as [HTMLInputElement, HTMLInputElement];

/** Kept only in memory. Without it, requests use the session of the current user. */
let token = '';
let isUserSignedIn = false;
let shown: ShownDocument = {
  document: { info: { title: '', description: '' }, servers: [], tags: [], paths: {}, components: {} },
  texts: new Map(),
};
let ui: ReturnType<typeof SwaggerUI> | null = null;

const dark = matchMedia('(prefers-color-scheme: dark)');
const followSystem = (): boolean => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();

new MutationObserver(() => document.querySelectorAll(UNNAMED).forEach(name)).observe(elementById('reference'), {
  childList: true,
  subtree: true,
});
elementById('token-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void load(tokenField.value.trim());
});
elementById('other-token').addEventListener('click', () => {
  elementById('token-form').hidden = false;
  tokenField.focus();
});
filterField.addEventListener('input', narrow);
void init();

/** Adds accessible names to inputs and makes scrollable parts focusable, because Swagger UI does neither. */
function name(element: Element): void {
  if (element.tagName === 'PRE') return element.setAttribute('tabindex', '0');
  const parameter = element.closest('[data-param-name]')?.getAttribute('data-param-name');
  element.setAttribute('aria-label', parameter ?? 'Body of the request');
}

/** Shows the API of the signed-in user without a pasted token; otherwise the sign-in options. */
async function init(): Promise<void> {
  isUserSignedIn = await isSignedIn();
  elementById(isUserSignedIn ? 'signed-in' : 'sign-in').hidden = false;
  elementById('token-form').hidden = isUserSignedIn;
  await load('');
}

async function resolveToken(pastedToken: string): Promise<string> {
  return pastedToken === '' && isUserSignedIn ? accessToken().catch(() => '') : pastedToken;
}

/** Loads the document for a token; without one, for the current user or a guest. */
async function load(pastedToken: string): Promise<void> {
  const main = elementById('reference');
  main.setAttribute('aria-busy', 'true');
  try {
    const used = await resolveToken(pastedToken);
    const headers: Record<string, string> = used === '' ? {} : { authorization: `Bearer ${used}` };
    const response = await fetch(ADDRESS, { headers });
    const text = await response.text();
    if (!response.ok)
      return setStatus(
        (JSON.parse(text) as { readonly message?: string }).message ??
          `The document cannot be loaded (${response.status}).`,
      );
    token = pastedToken;
    show(readDocument(text));
    offer(text);
  } catch {
    setStatus('The service does not respond.');
  } finally {
    main.removeAttribute('aria-busy');
  }
}

function show(openApi: OpenApi): void {
  shown = { document: openApi, texts: searchTexts(openApi) };
  document.title = `${openApi.info.title} API`;
  elementById('title').textContent = document.title;
  elementById('about').textContent = `${openApi.info.description} Base address: ${openApi.servers[0]?.url ?? ''}`;
  const spec = shownDocument(openApi, serviceAddress());
  if (ui === null) ui = start(spec);
  else ui.specActions.updateSpec(JSON.stringify(spec));
  // The operation in the URL exists only from now on.
  ui.layoutActions.parseDeepLinkHash(location.hash);
  narrow();
}

function start(spec: object): ReturnType<typeof SwaggerUI> {
  return SwaggerUI({
    domNode: elementById('reference'),
    spec,
    plugins: [referencePlugin(() => shown)],
    layout: 'ReferenceLayout',
    docExpansion: 'none',
    deepLinking: true,
    filter: '',
    displayRequestDuration: true,
    requestSnippetsEnabled: true,
    validatorUrl: null,
    requestInterceptor: async (request: { headers: Record<string, string> }) => {
      const used = await resolveToken(token);
      if (used !== '') request.headers['Authorization'] = `Bearer ${used}`;
      return request;
    },
  });
}

function offer(text: string): void {
  const link = elementById('download') as HTMLAnchorElement;
  if (link.href.startsWith('blob:')) URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
}

function narrow(): void {
  const query = filterField.value.trim();
  ui?.layoutActions.updateFilter(query);
  const count = [...shown.texts.values()].filter((text) => matchesTerms(text, termsOf(query))).length;
  setStatus(count === 1 ? '1 operation' : `${count} operations`);
}

function setStatus(text: string): void {
  elementById('status').textContent = text;
}
