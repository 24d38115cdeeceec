import { lazy, Suspense, type ReactElement } from 'react';
import type { DiffProps } from './codemirror-diff';
import type { CodeEditorProps } from './codemirror-editor';

const LazyEditor = lazy(async () => ({ default: (await import('./codemirror-editor')).CodeMirrorEditor }));
const LazyDiff = lazy(async () => ({ default: (await import('./codemirror-diff')).CodeMirrorDiff }));

/** A text editor for JSON, YAML and prompts. Its code is loaded when it is first shown. */
export function CodeEditor(props: CodeEditorProps): ReactElement {
  return (
    <Suspense fallback={<Waiting label={props.label} text={props.value} />}>
      <LazyEditor {...props} />
    </Suspense>
  );
}

/** Diff of two texts with marked differences; equal parts are collapsed. */
export function Diff(props: DiffProps): ReactElement {
  return (
    <Suspense fallback={<Waiting label={props.label} text={props.after} />}>
      <LazyDiff {...props} />
    </Suspense>
  );
}

/** Fallback that shows the plain text while the editor loads. */
function Waiting({ label, text }: { readonly label: string; readonly text: string }): ReactElement {
  return (
    <pre className="code-well code-waiting" aria-label={label}>
      {text}
    </pre>
  );
}
