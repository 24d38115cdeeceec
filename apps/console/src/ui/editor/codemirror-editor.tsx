import {
  autocompletion,
  closeBrackets,
  completionKeymap,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view';
import { useEffect, useRef, type ReactElement } from 'react';
import { editorTheme } from './editor-theme';
import { documentNonce, languageOf, type CodeLanguage } from './languages';

export interface CodeEditorProps {
  readonly value: string;
  /** Called with the changed text; absent for a read-only editor. */
  readonly onChange?: (value: string) => void;
  readonly language?: CodeLanguage;
  /** Accessible name. */
  readonly label: string;
  /** Diagnostics; positions are character offsets in the text. */
  readonly problems?: readonly Diagnostic[];
  readonly completions?: CompletionSource;
  /** Called for Ctrl+Enter or Cmd+Enter. */
  readonly onRun?: () => void;
  readonly placeholder?: string;
  readonly minHeight?: number;
  readonly maxHeight?: number;
  readonly lineNumbers?: boolean;
  /** True to focus the text when it appears. */
  readonly autoFocus?: boolean;
}

/** CodeMirror editor. Tab leaves it, so that it does not trap keyboard users. */
export function CodeMirrorEditor(props: CodeEditorProps): ReactElement {
  const {
    value,
    onChange,
    language = 'text',
    label,
    problems,
    minHeight = 80,
    maxHeight = 560,
    autoFocus = false,
  } = props;
  const element = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(props);
  const variable = useRef({ language: new Compartment(), access: new Compartment() });
  const isReadOnly = onChange === undefined;
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    if (element.current === null) return undefined;
    const { language: languagePart, access } = variable.current;
    const made = new EditorView({
      parent: element.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          baseExtensions(latest.current),
          languagePart.of(languageOf(latest.current.language ?? 'text')),
          access.of(EditorState.readOnly.of(latest.current.onChange === undefined)),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange?.(update.state.doc.toString());
          }),
          keymap.of([
            {
              key: 'Mod-Enter',
              run: () => latest.current.onRun?.() !== undefined || latest.current.onRun !== undefined,
            },
          ]),
        ],
      }),
    });
    view.current = made;
    if (autoFocus) made.focus();
    return () => {
      made.destroy();
      view.current = null;
    };
  }, [label, autoFocus]);
  useEffect(() => {
    const { language: languagePart, access } = variable.current;
    const effects = [
      languagePart.reconfigure(languageOf(language)),
      access.reconfigure(EditorState.readOnly.of(isReadOnly)),
    ];
    view.current?.dispatch({ effects });
  }, [language, isReadOnly]);
  useEffect(() => {
    const now = view.current?.state.doc.toString();
    if (now !== undefined && now !== value)
      view.current?.dispatch({ changes: { from: 0, to: now.length, insert: value } });
  }, [value]);
  useEffect(() => {
    const { current } = view;
    if (current === null || problems === undefined) return;
    const end = current.state.doc.length;
    const within = problems.map((problem) => ({
      ...problem,
      from: Math.min(problem.from, end),
      to: Math.min(problem.to, end),
    }));
    current.dispatch(setDiagnostics(current.state, within));
  }, [problems, value]);
  return <div ref={element} className="code-editor" style={{ minHeight, maxHeight }} />;
}

function baseExtensions(props: CodeEditorProps): Extension {
  const { completions, problems, placeholder: empty, lineNumbers: hasNumbers = true } = props;
  return [
    EditorView.cspNonce.of(documentNonce()),
    editorTheme,
    ...(hasNumbers ? [lineNumbers(), foldGutter()] : []),
    ...(problems === undefined ? [] : [lintGutter()]),
    ...(empty === undefined ? [] : [placeholder(empty)]),
    ...(completions === undefined ? [] : [autocompletion({ override: [completions] })]),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    EditorView.lineWrapping,
    keymap.of([
      ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
      ...historyKeymap,
      ...searchKeymap,
      ...foldKeymap,
      ...completionKeymap,
    ]),
  ];
}
