import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState, type ReactElement } from 'react';
import { encodeFilter, type Filter } from '../../url';
import { renderUi } from '../spec-support/render-ui';
import { SingleKeysContext } from '../use-page-keys';
import type { FilterField, OptionSource } from './fields';
import { FilterBar } from './filter-bar';
import { joinFilters, singleFilters } from './filter-text';

const source = jest.fn<ReturnType<OptionSource>, Parameters<OptionSource>>((typed) =>
  Promise.resolve(
    ['search-prod', 'ci-tests', 'batch-eu']
      .filter((value) => value.includes(typed))
      .map((value) => ({ value, count: 3 })),
  ),
);
const fields: readonly FilterField[] = [
  {
    id: 'status',
    label: 'Status',
    group: 'Outcome',
    kind: 'values',
    negatable: true,
    options: [{ value: '4xx' }, { value: '5xx' }],
  },
  { id: 'key', label: 'Key', group: 'Caller', kind: 'values', options: source },
  { id: 'cost', label: 'Cost', group: 'Money', kind: 'number', unit: 'cents' },
  { id: 'md.*', label: 'Metadata', group: 'Caller', kind: 'values' },
];

let state: { filters: readonly Filter[]; text: string };

function Bar({
  filters: initial = [],
  keep = (all) => all,
  textOff,
}: {
  readonly filters?: readonly Filter[];
  /** Returns the filters that the page keeps after a change. */
  readonly keep?: (all: readonly Filter[]) => readonly Filter[];
  readonly textOff?: string;
}): ReactElement {
  const [filters, setFilters] = useState(initial);
  const [text, setText] = useState('');
  state = { filters, text };
  return (
    <>
      <FilterBar
        fields={fields}
        filters={filters}
        onChange={(all) => setFilters(keep(all))}
        text={text}
        onText={setText}
        {...(textOff === undefined ? {} : { textOff })}
      />
    </>
  );
}

const written = (): readonly string[] => state.filters.map(encodeFilter);
const key = (name: string, more: object = {}): void =>
  void fireEvent.keyDown(document.activeElement ?? document.body, { key: name, ...more });
const type = (text: string): void =>
  void fireEvent.change(document.activeElement!, { target: { value: text } });
const keyOf = (value: string): Filter => ({
  field: 'key',
  not: false,
  match: { kind: 'any', values: [value] },
});
/** Opens the editor of a new filter by key. */
async function addKey(): Promise<void> {
  key('f');
  (await combobox('Field')).focus();
  type('ke');
  key('Enter');
  (await combobox('Values of Key')).focus();
}
/** Chooses a value in the open editor. */
async function choose(value: string): Promise<void> {
  type(value);
  await screen.findByRole('option', { name: new RegExp(value) });
  key('Enter');
}
const combobox = (name: string): Promise<HTMLElement> => screen.findByRole('combobox', { name });

describe('FilterBar', () => {
  it('adds a filter with values from the API, by keyboard only', async () => {
    renderUi(<Bar />);
    key('f');
    act(() => void screen.queryByRole('combobox', { name: 'Field' })?.focus());
    (await combobox('Field')).focus();
    type('ke');
    key('Enter');
    (await combobox('Values of Key')).focus();
    await screen.findByRole('option', { name: /ci-tests/ });
    key('Enter');
    expect(written()).toEqual(['key:search-prod']);
    key('ArrowDown');
    key('Enter');
    await waitFor(() => expect(written()).toEqual(['key:search-prod,ci-tests']));
    type('other');
    await screen.findByRole('option', { name: 'Use “other”' });
    key('Enter');
    expect(written()).toEqual(['key:search-prod,ci-tests,other']);
    key('Backspace');
    expect(written()).toEqual(['key:search-prod,ci-tests']);
  });

  it('keeps each chosen value when the page joins filters of one field', async () => {
    renderUi(<Bar filters={[keyOf('ci-tests')]} keep={(all) => joinFilters([], all)} />);
    await addKey();
    await choose('batch-eu');
    expect(written()).toEqual(['key:ci-tests,batch-eu']);
    await choose('search-prod');
    expect(written()).toEqual(['key:ci-tests,batch-eu,search-prod']);
    key('Backspace');
    expect(written()).toEqual(['key:ci-tests,batch-eu']);
  });

  it('keeps the value that was chosen last when the page keeps one value of each field', async () => {
    renderUi(<Bar filters={[keyOf('ci-tests')]} keep={singleFilters} />);
    await addKey();
    await choose('batch-eu');
    await choose('search-prod');
    expect(written()).toEqual(['key:search-prod']);
  });

  it('adds the next value after all filters were removed while the editor is open', async () => {
    renderUi(<Bar filters={[keyOf('ci-tests')]} />);
    await addKey();
    await choose('batch-eu');
    fireEvent.keyDown(document.body, { key: 'x' });
    expect(written()).toEqual([]);
    await choose('search-prod');
    expect(written()).toEqual(['key:search-prod']);
  });

  it('edits the negation and the number of a chip', async () => {
    renderUi(<Bar filters={[{ field: 'status', not: false, match: { kind: 'any', values: ['5xx'] } }]} />);
    fireEvent.click(screen.getByRole('button', { name: 'Edit filter: Status is 5xx' }));
    fireEvent.click(await screen.findByRole('radio', { name: 'is not' }));
    expect(written()).toEqual(['status:!5xx']);
    key('Escape');
    key('f');
    (await combobox('Field')).focus();
    type('cost');
    key('Enter');
    const box = await screen.findByRole('textbox', { name: 'Cost' });
    fireEvent.change(box, { target: { value: 'a lot' } });
    fireEvent.submit(box);
    expect(screen.getByRole('alert').textContent).toBe('Enter a number, such as 1.5.');
    fireEvent.change(box, { target: { value: '1.5' } });
    fireEvent.submit(box);
    expect(written()).toEqual(['status:!5xx', 'cost:>=1.5']);
  });

  it('removes a chip with Delete and its button, and all chips with X', () => {
    const three = ['a', 'b', 'c'].map((value): Filter => ({
      field: `md.${value}`,
      not: false,
      match: { kind: 'any', values: [value] },
    }));
    renderUi(<Bar filters={three} />);
    fireEvent.keyDown(screen.getByRole('button', { name: 'Edit filter: md.a is a' }), { key: 'Delete' });
    expect(written()).toEqual(['md.b:b', 'md.c:c']);
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit filter: md.b is b' }));
    fireEvent.click(screen.getByRole('button', { name: 'Remove filter md.b' }));
    expect(written()).toEqual(['md.c:c']);
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit filter: md.c is c' }));
    act(() => (document.activeElement as HTMLElement).blur());
    key('x');
    expect(written()).toEqual([]);
  });

  it('ignores its single keys when the user has turned them off', () => {
    renderUi(
      <SingleKeysContext value={false}>
        <Bar filters={[keyOf('ci-tests')]} />
      </SingleKeysContext>,
    );
    for (const name of ['x', 'f', '/']) key(name);
    expect(written()).toEqual(['key:ci-tests']);
    expect(screen.queryByRole('combobox')).toBeNull();
    expect(document.activeElement).toBe(document.body);
  });

  it('offers no filter when the page has no fields', () => {
    renderUi(
      <FilterBar fields={[]} filters={[]} onChange={() => undefined} text="" onText={() => undefined} />,
    );
    key('f');
    expect(screen.queryByRole('button', { name: /Add filter/ })).toBeNull();
    expect(screen.getByRole('searchbox').getAttribute('placeholder')).toBe('Text');
  });

  it('turns a typed line into chips and search text', () => {
    renderUi(<Bar />);
    key('/');
    expect(document.activeElement).toBe(screen.getByRole('searchbox'));
    type('status:5xx md.team:search contract');
    key('Enter');
    expect(written()).toEqual(['status:5xx', 'md.team:search']);
    expect(state.text).toBe('contract');
    type('cost:cheap');
    key('Enter');
    expect(screen.getByRole('alert').textContent).toBe('cost:cheap is no filter of this field.');
  });

  it('explains why the text search is off', () => {
    renderUi(<Bar textOff="Bodies are not in the database." />);
    key('/');
    type('contract');
    key('Enter');
    expect(screen.getByRole('alert').textContent).toBe('Bodies are not in the database.');
    expect(state.text).toBe('');
  });

  it('negates a new filter whose operator is chosen before its value', async () => {
    renderUi(<Bar />);
    key('f');
    (await combobox('Field')).focus();
    type('status');
    key('Enter');
    const is = await screen.findByRole('radio', { name: 'is' });
    act(() => is.focus());
    key('ArrowRight');
    expect(screen.getByRole('radio', { name: 'is not' })).toBe(document.activeElement);
    expect(screen.getByRole('radio', { name: 'is not' }).getAttribute('aria-checked')).toBe('true');
    act(() => screen.getByRole('combobox', { name: 'Values of Status' }).focus());
    key('Enter');
    expect(written()).toEqual(['status:!4xx']);
  });

  it('keeps the case of a typed name of metadata', async () => {
    renderUi(<Bar />);
    key('f');
    (await combobox('Field')).focus();
    type('Plan');
    await screen.findByRole('option', { name: /md\.Plan/ });
    key('Enter');
    expect(await combobox('Values of md.Plan')).toBeTruthy();
  });

  it('drops the message about a broken filter together with its text', () => {
    renderUi(<Bar />);
    key('/');
    type('cost:cheap');
    key('Enter');
    key('Escape');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('offers the typed name for the field md.*', async () => {
    renderUi(<Bar />);
    key('f');
    (await combobox('Field')).focus();
    type('plan');
    await screen.findByRole('option', { name: /md\.plan/ });
    key('Enter');
    expect(await combobox('Values of md.plan')).toBeTruthy();
  });
});
