import { act, fireEvent, screen } from '@testing-library/react';
import fc from 'fast-check';
import { renderUi } from '../spec-support/render-ui';
import { withElementSize } from '../spec-support/layout';
import { JsonView } from '.';
import { atPointer, jsonLines, pathText } from './json-lines';

const NOTHING: ReadonlySet<string> = new Set();
const body = {
  model: 'gpt-4o',
  messages: [{ role: 'user', content: 'Hello', 'x-y': null }],
  tools: [],
  n: 1.5,
};

describe('jsonLines', () => {
  it('joins to the JSON text of any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = jsonLines(value, NOTHING)
          .map(
            ({ key, text: own, kind, isLast }) =>
              `${key === null ? '' : `${JSON.stringify(key)}:`}${own}${kind === 'open' || isLast ? '' : ','}`,
          )
          .join('');
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('returns pointers that resolve to their values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        jsonLines(value, NOTHING)
          .filter(({ kind }) => kind === 'leaf')
          .every(({ pointer, text }) => JSON.stringify(atPointer(value, pointer)) === text),
      ),
    );
  });

  it('shows a collapsed part as one line, and handles a deep document', () => {
    expect(jsonLines(body, new Set(['/messages'])).map(({ text }) => text)).toContain('[…]');
    let deep: unknown = 1;
    for (let at = 0; at < 20_000; at += 1) deep = [deep];
    expect(jsonLines(deep, NOTHING)).toHaveLength(40_001);
  });

  it('formats paths as code', () => {
    expect(pathText(body, '/messages/0/x-y')).toBe('messages[0]["x-y"]');
    expect(pathText(body, '')).toBe('$');
  });
});

describe('JsonView', () => {
  const writeText = jest.fn<Promise<void>, [string]>(() => Promise.resolve());
  beforeEach(() =>
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } }),
  );
  const tree = (): HTMLElement => screen.getByRole('tree', { name: 'Request' });
  const key = (name: string): void => void fireEvent.keyDown(tree(), { key: name });
  const active = (): string | null | undefined =>
    document.getElementById(tree().getAttribute('aria-activedescendant') ?? '')?.textContent;

  it('moves, expands and collapses by keyboard, and copies the path', async () => {
    renderUi(<JsonView value={body} label="Request" />);
    key('ArrowDown');
    key('ArrowDown');
    expect(active()).toBe('"messages": [');
    key('ArrowLeft');
    expect(active()).toBe('"messages": […], 1 item');
    key('Enter');
    key('ArrowRight');
    key('ArrowRight');
    key('ArrowDown');
    expect(active()).toContain('"content": "Hello"');
    await act(async () => {
      key('y');
      await Promise.resolve();
    });
    expect(writeText).toHaveBeenLastCalledWith('messages[0].content');
    key('ArrowLeft');
    key('ArrowLeft');
    expect(active()).toBe('{…} 3 members');
  });

  it('finds values in collapsed parts', () => {
    renderUi(<JsonView value={body} label="Request" collapsed={new Set(['/messages'])} />);
    const box = screen.getByRole('searchbox');
    fireEvent.change(box, { target: { value: 'hello' } });
    fireEvent.keyDown(box, { key: 'Enter' });
    expect(active()).toContain('"content": "Hello"');
    expect(screen.getByText('1 of 1')).toBeTruthy();
  });

  it('goes from no match to the last one with Shift and Enter', () => {
    renderUi(<JsonView value={{ a: 'x', b: 'x', c: 'x' }} label="Request" />);
    const box = screen.getByRole('searchbox');
    fireEvent.change(box, { target: { value: 'x' } });
    fireEvent.keyDown(box, { key: 'Enter', shiftKey: true });
    expect(active()).toContain('"c"');
    expect(screen.getByText('3 of 3')).toBeTruthy();
  });

  it('begins at the top of another document', () => {
    const { rerender } = renderUi(<JsonView value={body} label="Request" />);
    key('End');
    key('ArrowUp');
    rerender(<JsonView value={{ model: 'o' }} label="Request" />);
    expect(active()).toBe('{');
    key('ArrowDown');
    expect(active()).toContain('"model"');
  });

  it('renders only visible lines above 2,000', () => {
    const undo = withElementSize(600, 400);
    renderUi(<JsonView value={Array.from({ length: 50_000 }, (_, at) => at)} label="Request" />);
    expect(screen.getAllByRole('treeitem').length).toBeLessThan(120);
    key('End');
    expect(active()).toBe(']');
    undo();
  });
});
