import './reference.css';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { addressOf, serviceAddress } from '../api/base-path.js';
import { accessToken, isSignedIn } from '../session/tokens.js';
import { type OpenApi, readDocument } from './open-api.js';
import { hasWords, referencePlugin, type ShownDocument, wordsOf } from './plugin.js';
import { searchTexts, shownDocument } from './shown-document.js';

const ADDRESS = addressOf('/api/openapi.json');
const UNNAMED = [
  ...['input', 'select', 'textarea'].map((field) => `tr[data-param-name] ${field}:not([aria-label])`),
  '.opblock-section-request-body textarea:not([aria-label])',
  'pre.microlight:not([tabindex])',
].join();
const place = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no ${id}.`);
  return found;
};
const [tokenField, filterField] = ['token', 'filter'].map(place) as [HTMLInputElement, HTMLInputElement];

/** Kept only in memory. Without it, requests use the session of the current user. */
let token = '';
let isIn = false;
let shown: ShownDocument = {
  document: { info: { title: '', description: '' }, servers: [], tags: [], paths: {}, components: {} },
  texts: new Map(),
};
let ui: ReturnType<typeof SwaggerUI> | null = null;

const dark = matchMedia('(prefers-color-scheme: dark)');
const followSystem = (): boolean => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();

new MutationObserver(() => document.querySelectorAll(UNNAMED).forEach(name)).observe(place('reference'), {
  childList: true,
  subtree: true,
});
place('token-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void load(tokenField.value.trim());
});
place('other-token').addEventListener('click', () => {
  place('token-form').hidden = false;
  tokenField.focus();
});
filterField.addEventListener('input', narrow);
void begin();

/** Adds accessible names to inputs and makes scrollable parts focusable, because Swagger UI does neither. */
function name(element: Element): void {
  if (element.tagName === 'PRE') return element.setAttribute('tabindex', '0');
  const parameter = element.closest('[data-param-name]')?.getAttribute('data-param-name');
  element.setAttribute('aria-label', parameter ?? 'Body of the request');
}

/** Shows the API of the signed-in user without a pasted token; otherwise the sign-in options. */
async function begin(): Promise<void> {
  isIn = await isSignedIn();
  place(isIn ? 'signed-in' : 'sign-in').hidden = false;
  place('token-form').hidden = isIn;
  await load('');
}

async function usedToken(given: string): Promise<string> {
  return given === '' && isIn ? accessToken().catch(() => '') : given;
}

/** Loads the document for a token; without one, for the current user or a guest. */
async function load(given: string): Promise<void> {
  const main = place('reference');
  main.setAttribute('aria-busy', 'true');
  try {
    const used = await usedToken(given);
    const headers: Record<string, string> = used === '' ? {} : { authorization: `Bearer ${used}` };
    const response = await fetch(ADDRESS, { headers });
    const text = await response.text();
    if (!response.ok)
      return tell(
        (JSON.parse(text) as { readonly message?: string }).message ??
          `The document cannot be had (${response.status}).`,
      );
    token = given;
    show(readDocument(text));
    offer(text);
  } catch {
    tell('The service does not answer.');
  } finally {
    main.removeAttribute('aria-busy');
  }
}

function show(openApi: OpenApi): void {
  shown = { document: openApi, texts: searchTexts(openApi) };
  document.title = `${openApi.info.title} API`;
  place('title').textContent = document.title;
  place('about').textContent = `${openApi.info.description} Base address: ${openApi.servers[0]?.url ?? ''}`;
  const spec = shownDocument(openApi, serviceAddress());
  if (ui === null) ui = start(spec);
  else ui.specActions.updateSpec(JSON.stringify(spec));
  // The operation in the URL exists only from now on.
  ui.layoutActions.parseDeepLinkHash(location.hash);
  narrow();
}

function start(spec: object): ReturnType<typeof SwaggerUI> {
  return SwaggerUI({
    domNode: place('reference'),
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
      const used = await usedToken(token);
      if (used !== '') request.headers['Authorization'] = `Bearer ${used}`;
      return request;
    },
  });
}

function offer(text: string): void {
  const link = place('download') as HTMLAnchorElement;
  if (link.href.startsWith('blob:')) URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
}

function narrow(): void {
  const query = filterField.value.trim();
  ui?.layoutActions.updateFilter(query);
  const count = [...shown.texts.values()].filter((text) => hasWords(text, wordsOf(query))).length;
  tell(count === 1 ? '1 operation' : `${count} operations`);
}

function tell(text: string): void {
  place('status').textContent = text;
}
