import {
  autocompletion,
  closeBrackets,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';

export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly message: string;
  /** Quick fix. */
  readonly action?: { readonly label: string; readonly apply: () => void };
}

/** Returns the completions at an offset, which replace the text from `from` on; null if there are none. */
export type Complete = (
  text: string,
  offset: number,
) => { readonly from: number; readonly options: readonly string[] } | null;

interface CodeEditorProps {
  label: string;
  value: string;
  marks: readonly Mark[];
  /** `document` has line numbers and a fixed height; `rule` is as high as its text. */
  form: keyof typeof FORMS;
  complete: Complete;
  /** Offset to scroll to. Each new object scrolls again. */
  goTo?: { readonly offset: number } | null;
  onChange: (text: string) => void;
}

/**
 * Text editor for definitions and rules. A shadow root allows constructed style sheets. The content security policy of the pages would
 * block `<style>` elements.
 */
export function CodeEditor({ label, value, marks, form, complete, goTo = null, onChange }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | null>(null);
  const live = useRef({ value, onChange, complete });
  useEffect(() => {
    live.current = { value, onChange, complete };
  });
  useEffect(() => {
    const container = host.current;
    if (container === null) return;
    const root = container.shadowRoot ?? container.attachShadow({ mode: 'open' });
    const changed = EditorView.updateListener.of(({ docChanged, state }) => {
      // Changes of the `value` prop are not user input.
      const written = state.doc.toString();
      if (docChanged && written !== live.current.value) live.current.onChange(written);
    });
    const extensions = [
      ...BASE_EXTENSIONS,
      ...FORMS[form],
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      autocompletion({ override: [(context) => completed(context, live.current.complete)] }),
      changed,
    ];
    const view = new EditorView({ parent: root, root, state: EditorState.create({ doc: '', extensions }) });
    editor.current = view;
    return () => {
      view.destroy();
      editor.current = null;
    };
  }, [label, form]);
  useEffect(() => {
    const view = editor.current;
    const old = view?.state.doc.toString();
    if (view && old !== value) view.dispatch({ changes: difference(old ?? '', value) });
  }, [value, label, form]);
  useEffect(() => {
    const view = editor.current;
    if (!view) return;
    const { length } = view.state.doc;
    view.dispatch(setDiagnostics(view.state, marks.filter(({ to }) => to <= length).map(diagnosticOf)));
  }, [marks, value, label, form]);
  useEffect(() => {
    const view = editor.current;
    if (!view || goTo === null) return;
    view.dispatch({ selection: { anchor: Math.min(goTo.offset, view.state.doc.length) }, scrollIntoView: true });
    view.focus();
  }, [goTo]);
  return <div ref={host} />;
}

function completed({ state, pos, explicit }: CompletionContext, complete: Complete): CompletionResult | null {
  const completions = complete(state.doc.toString(), pos);
  if (completions === null) return null;
  const { from, options } = completions;
  if (options.length === 0 || (!explicit && from === pos)) return null;
  return { from, options: options.map((text) => ({ label: text })) };
}

/** Returns the differing part of two texts. Replacing only this part keeps the cursor position. */
function difference(old: string, next: string): { from: number; to: number; insert: string } {
  const shorter = Math.min(old.length, next.length);
  let from = 0;
  while (from < shorter && old[from] === next[from]) from += 1;
  let tail = 0;
  while (tail < shorter - from && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail += 1;
  return { from, to: old.length - tail, insert: next.slice(from, next.length - tail) };
}

function diagnosticOf({ action, ...mark }: Mark): Diagnostic {
  return { ...mark, severity: 'error', ...(action && { actions: [{ name: action.label, apply: action.apply }] }) };
}

const COLORS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--mantine-color-anchor)' },
  { tag: tags.string, color: 'var(--mantine-color-text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--lintel-success-line)', fontWeight: '600' },
]);

const THEME = EditorView.theme({
  '&': {
    color: 'var(--mantine-color-text)',
    backgroundColor: 'var(--mantine-color-body)',
    border: '1px solid var(--lintel-input-line)',
    borderRadius: 'var(--mantine-radius-default)',
    fontSize: '0.8125rem',
  },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '1px' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-scroller': { fontFamily: 'ui-monospace, monospace', lineHeight: '1.6' },
  '.cm-gutters': {
    color: 'var(--mantine-color-dimmed)',
    backgroundColor: 'var(--lintel-page)',
    borderRight: '1px solid var(--lintel-line)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--lintel-plain-fill) 50%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--mantine-primary-color-filled) 25%, transparent)',
  },
  '.cm-tooltip': {
    color: 'var(--mantine-color-text)',
    backgroundColor: 'var(--mantine-color-body)',
    border: '1px solid var(--lintel-line)',
    fontFamily: 'system-ui, sans-serif',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    color: '#fff',
    backgroundColor: 'var(--mantine-primary-color-filled)',
  },
  '.cm-diagnosticAction': { backgroundColor: 'var(--mantine-primary-color-filled)', padding: '0.25em 0.5em' },
});

const BASE_EXTENSIONS = [
  history(),
  drawSelection(),
  bracketMatching(),
  closeBrackets(),
  syntaxHighlighting(COLORS),
  THEME,
  EditorView.lineWrapping,
  // Tab is not bound, so keyboard users can leave the editor.
  keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
];

const FORMS = {
  document: [
    lineNumbers(),
    lintGutter(),
    highlightActiveLine(),
    json(),
    EditorView.theme({ '&': { height: '32rem' } }),
  ],
  rule: [EditorView.theme({ '.cm-content': { minHeight: '3.5rem' } })],
};
