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
interface Place {
  readonly path: string;
  readonly method: string;
}

export interface ShownDocument {
  readonly document: OpenApi;
  /** Search texts by `method path`. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Number of groups up to which a search expands them. */
const FEW = 6;

export function wordsOf(query: unknown): readonly string[] {
  return typeof query === 'string' ? query.toLowerCase().split(/\s+/).filter(Boolean) : [];
}

export function hasWords(text: string | undefined, words: readonly string[]): boolean {
  return words.every((word) => text?.includes(word) === true);
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
          react.createElement(Snippets, { title: 'Request that was sent', request: request.toJS() }),
      },
      wrapComponents: {
        // Avoids a link inside the button of an operation. The URL still contains the open operation.
        DeepLink:
          () =>
          ({ text }: { readonly text: string }) =>
            react.createElement('span', null, text),
        responses: (Original: React.ComponentType<Place>) => (props: Place) => {
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
          const words = wordsOf(query);
          const { texts } = shown();
          const isFound = (operation: Fields): boolean =>
            hasWords(texts.get(`${String(operation.get('method'))} ${String(operation.get('path'))}`), words);
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
              (original: (place: readonly string[], fallback: unknown) => unknown) =>
              (_state: unknown, place: readonly string[], fallback: unknown): unknown =>
                original(
                  place,
                  fallback === true ||
                    (place[0] === 'operations-tag' && isNarrow(shown(), layoutSelectors.currentFilter())),
                ),
          },
        },
      },
    };
  };
}

function isNarrow({ document, texts }: ShownDocument, query: unknown): boolean {
  const words = wordsOf(query);
  if (words.length === 0) return false;
  const groups = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { tags }]) =>
      hasWords(texts.get(`${method} ${path}`), words) ? [tags[0]] : [],
    ),
  );
  return new Set(groups).size <= FEW;
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
          outcome?.text !== text ? 'Copy' : outcome.isDone ? 'Copied' : 'Copy it by hand',
        ),
      ),
      element('pre', { tabIndex: 0, className: 'microlight' }, element('code', null, text)),
    );
  };
}
