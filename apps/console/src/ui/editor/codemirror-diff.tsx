import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef, type ReactElement } from 'react';
import { editorTheme } from './editor-theme';
import { documentNonce, languageOf, type CodeLanguage } from './languages';

export interface DiffProps {
  readonly before: string;
  readonly after: string;
  readonly language?: CodeLanguage;
  /** Accessible name. */
  readonly label: string;
  /** Layout: `side` by side, or `unified` for narrow places. */
  readonly as?: 'side' | 'unified';
}

const COLLAPSE = { margin: 3, minSize: 6 };

export function CodeMirrorDiff({
  before,
  after,
  language = 'json',
  label,
  as = 'side',
}: DiffProps): ReactElement {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = element.current;
    if (parent === null) return undefined;
    const extensions: Extension = [
      EditorView.cspNonce.of(documentNonce()),
      editorTheme,
      languageOf(language),
      lineNumbers(),
      EditorView.lineWrapping,
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': label }),
    ];
    if (as === 'side') {
      const sides = { a: { doc: before, extensions }, b: { doc: after, extensions } };
      const merge = new MergeView({ ...sides, parent, collapseUnchanged: COLLAPSE, gutter: true });
      return () => merge.destroy();
    }
    const unified = unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: COLLAPSE });
    const view = new EditorView({ parent, doc: after, extensions: [extensions, unified] });
    return () => view.destroy();
  }, [before, after, language, label, as]);
  return <div ref={element} className="code-diff" role="group" aria-label={label} />;
}
