import type * as React from 'react';
import { serviceAddress } from '../api/base-path.js';
import { copyText } from '../ui/copy-text.js';
import type { OpenApi } from './open-api.js';
import { LANGUAGES, type SampleRequest, sampleRequest } from './snippets.js';

/** The plugin system of Swagger UI. Elements must be created with its own React. */
interface System {
  readonly React: typeof React;
  readonly getComponent: (name: string, container?: boolean) => React.ComponentType<Record<string, unknown>>;
  readonly layoutSelectors: { readonly currentFilter: () => unknown };
}

interface Collection<Item> {
  map(to: (item: Item) => Item): Collection<Item>;
  filter(test: (item: Item) => boolean): Collection<Item>;
  readonly size: number;
}
interface Fields {
  get(name: string): unknown;
  set(name: string, value: unknown): Fields;
}
interface OperationKey {
  readonly path: string;
  readonly method: string;
}

export interface ShownDocument {
  readonly document: OpenApi;
  /** Search texts by `method path`. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Number of groups up to which a search expands them. */
const MAX_EXPANDED_GROUPS = 6;

export function termsOf(query: unknown): readonly string[] {
  return typeof query === 'string' ? query.toLowerCase().split(/\s+/).filter(Boolean) : [];
}

export function matchesTerms(text: string | undefined, terms: readonly string[]): boolean {
  return terms.every((term) => text?.includes(term) === true);
}

/**
 * Swagger UI plugin. The layout contains only the operations, the filter searches paths, texts and fields, and each operation has samples
 * in several languages.
 */
export function referencePlugin(shown: () => ShownDocument) {
  return ({ React: react, getComponent, layoutSelectors }: System): object => {
    const Snippets = snippetsWith(react);
    return {
      components: {
        ReferenceLayout: () =>
          react.createElement(
            'div',
            { className: 'swagger-ui' },
            react.createElement(getComponent('errors', true)),
            react.createElement(getComponent('operations', true)),
          ),
        // The component of the library does not support the keyboard.
        RequestSnippets: ({ request }: { readonly request: { toJS(): SampleRequest } }) =>
          react.createElement(Snippets, { title: 'Sent request', request: request.toJS() }),
      },
      wrapComponents: {
        // Avoids a link inside the button of an operation. The URL still contains the open operation.
        DeepLink:
          () =>
          ({ text }: { readonly text: string }) =>
            react.createElement('span', null, text),
        responses: (Original: React.ComponentType<OperationKey>) => (props: OperationKey) => {
          const request = sampleRequest(shown().document, props.path, props.method, serviceAddress());
          return react.createElement(
            react.Fragment,
            null,
            request === null ? null : react.createElement(Snippets, { title: 'Sample request', request }),
            react.createElement(Original, props),
          );
        },
      },
      fn: {
        opsFilter: (groups: Collection<Fields>, query: string): Collection<Fields> => {
          const terms = termsOf(query);
          const { texts } = shown();
          const isFound = (operation: Fields): boolean =>
            matchesTerms(texts.get(`${String(operation.get('method'))} ${String(operation.get('path'))}`), terms);
          return groups
            .map((group) => group.set('operations', (group.get('operations') as Collection<Fields>).filter(isFound)))
            .filter((group) => (group.get('operations') as Collection<Fields>).size > 0);
        },
      },
      statePlugins: {
        layout: {
          wrapSelectors: {
            // The original selector already receives its state.
            isShown:
              (original: (path: readonly string[], fallback: unknown) => unknown) =>
              (_state: unknown, path: readonly string[], fallback: unknown): unknown =>
                original(
                  path,
                  fallback === true ||
                    (path[0] === 'operations-tag' && isNarrow(shown(), layoutSelectors.currentFilter())),
                ),
          },
        },
      },
    };
  };
}

function isNarrow({ document, texts }: ShownDocument, query: unknown): boolean {
  const terms = termsOf(query);
  if (terms.length === 0) return false;
  const groups = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { tags }]) =>
      matchesTerms(texts.get(`${method} ${path}`), terms) ? [tags[0]] : [],
    ),
  );
  return new Set(groups).size <= MAX_EXPANDED_GROUPS;
}

interface SnippetsProps {
  readonly title: string;
  readonly request: SampleRequest;
}

function snippetsWith(react: typeof React): React.FC<SnippetsProps> {
  const element = react.createElement;
  return function Snippets({ title, request }) {
    const [chosen, choose] = react.useState(LANGUAGES[0]);
    const [outcome, setOutcome] = react.useState<{ text: string; isDone: boolean } | null>(null);
    if (chosen === undefined) return null;
    const text = chosen.write(request);
    return element(
      'section',
      { className: 'snippets', 'aria-label': title },
      element(
        'div',
        { className: 'opblock-section-header' },
        element('h4', null, title),
        element(
          'div',
          { role: 'group', 'aria-label': 'Language' },
          ...LANGUAGES.map((language) =>
            element(
              'button',
              {
                key: language.title,
                type: 'button',
                className: 'btn',
                'aria-pressed': language === chosen,
                onClick: () => choose(language),
              },
              language.title,
            ),
          ),
        ),
        element(
          'button',
          {
            type: 'button',
            className: 'btn',
            onClick: () => void copyText(text).then((isDone) => setOutcome({ text, isDone })),
          },
          outcome?.text !== text ? 'Copy' : outcome.isDone ? 'Copied' : 'Copy it manually',
        ),
      ),
      element('pre', { tabIndex: 0, className: 'microlight' }, element('code', null, text)),
    );
  };
}
