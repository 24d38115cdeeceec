export { CodeEditor, Diff } from './editor';
export type { CodeEditorProps } from './codemirror-editor';
export type { DiffProps } from './codemirror-diff';
export type { CodeLanguage } from './languages';
