import { fireEvent, screen, waitFor } from '@testing-library/react';
import { EditorView } from '@codemirror/view';
import { renderUi } from '../spec-support/render-ui';
import { CodeEditor, Diff } from '.';

const content = (): Promise<HTMLElement> => screen.findByRole('textbox', {}, { timeout: 20_000 });

// jsdom has no layout.
beforeAll(() => {
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
});

describe('CodeEditor', () => {
  it('shows its text until the editor is loaded, reports changes, and runs with Ctrl+Enter', async () => {
    const onChange = jest.fn();
    const onRun = jest.fn();
    renderUi(
      <CodeEditor
        label="Config"
        language="json"
        value='{"a":1}'
        onChange={onChange}
        onRun={onRun}
        problems={[{ from: 1, to: 99, severity: 'error', message: 'unknown key' }]}
      />,
    );
    expect(screen.getByLabelText('Config').textContent).toBe('{"a":1}');
    const view = EditorView.findFromDOM(await content());
    if (view === null) throw new Error('no editor');
    view.dispatch({ changes: { from: 6, insert: ',"b":2' } });
    expect(onChange).toHaveBeenLastCalledWith('{"a":1,"b":2}');
    fireEvent.keyDown(view.contentDOM, { key: 'Enter', ctrlKey: true });
    expect(onRun).toHaveBeenCalledTimes(1);
    expect(view.state.doc.toString()).toBe('{"a":1,"b":2}');
  });

  it('accepts a new value, and is read-only without onChange', async () => {
    const { rerender } = renderUi(<CodeEditor label="Config" value="one" />);
    const view = EditorView.findFromDOM(await content());
    rerender(<CodeEditor label="Config" value="two" />);
    await waitFor(() => expect(view?.state.doc.toString()).toBe('two'));
    expect(view?.state.readOnly).toBe(true);
  });
});

describe('Diff', () => {
  it.each(['side', 'unified'] as const)('marks differences with the layout %s', async (as) => {
    renderUi(<Diff label="Versions" as={as} before={'{"a": 1}'} after={'{"a": 2}'} />);
    await waitFor(() => expect(document.querySelector('.cm-changedText, .cm-deletedChunk')).not.toBeNull(), {
      timeout: 20_000,
    });
  });
});
