import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const look = EditorView.theme({
  '&': {
    backgroundColor: 'var(--inset)',
    color: 'var(--text)',
    borderRadius: 'var(--radius)',
    fontSize: '12px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--text-3)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-bg)',
  },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--hover)', color: 'var(--text)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--danger)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-changedLine': { backgroundColor: 'var(--info-bg)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': { background: 'var(--danger-bg)' },
  '&.cm-merge-b .cm-changedText': { background: 'var(--ok-bg)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--danger-bg)' },
  '.cm-insertedLine': { backgroundColor: 'var(--ok-bg)' },
  '.cm-collapsedLines': { background: 'var(--surface)', color: 'var(--text-3)' },
});

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--info)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: tags.number, color: 'var(--warn)' },
  { tag: [tags.bool, tags.keyword], color: 'var(--violet)' },
  { tag: [tags.null, tags.comment, tags.meta], color: 'var(--text-3)' },
]);

/** CodeMirror theme in the colour tokens of the console, for light and dark. */
export const editorTheme: Extension = [look, syntaxHighlighting(highlight)];
