import { act, fireEvent, screen } from '@testing-library/react';
import { renderUi } from '../spec-support/render-ui';
import { saveFile } from '../save-file';
import { AsCode, Reveal } from '.';

jest.mock('../save-file', () => ({ saveFile: jest.fn() }));

const writeText = jest.fn<Promise<void>, [string]>(() => Promise.resolve());
beforeEach(() => {
  writeText.mockClear();
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } });
});
const settle = (run: () => void): Promise<void> =>
  act(async () => {
    run();
    await Promise.resolve();
  });

describe('Reveal', () => {
  const secret = 'tg-secret-0123456789';

  it('copies on opening and with C, and closes with one click when the box is ticked', async () => {
    const onClose = jest.fn();
    renderUi(<Reveal secret={secret} name="search-prod" onClose={onClose} />);
    const dialog = await screen.findByRole('dialog');
    expect(writeText).toHaveBeenCalledTimes(1);
    await settle(() => void fireEvent.keyDown(dialog, { key: 'c' }));
    expect(writeText.mock.calls).toEqual([[secret], [secret]]);
    fireEvent.click(screen.getByRole('checkbox'));
    fireEvent.click(screen.getByRole('button', { name: 'Close' }));
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  it('needs a second click to close when the box is not ticked', async () => {
    const onClose = jest.fn();
    renderUi(<Reveal secret={secret} name="search-prod" onClose={onClose} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Close' }));
    expect(onClose).not.toHaveBeenCalled();
    fireEvent.click(screen.getByRole('button', { name: 'Close anyway' }));
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  it('shows the secret once in the document, and not in attributes, title or storage', async () => {
    const { rerender } = renderUi(<Reveal secret={secret} name="search-prod" onClose={() => undefined} />);
    await screen.findByRole('dialog');
    expect(document.documentElement.outerHTML.split(secret)).toHaveLength(2);
    expect(document.title + JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain(secret);
    rerender(<Reveal secret={null} name="search-prod" onClose={() => undefined} />);
    expect(document.documentElement.outerHTML).not.toContain(secret);
  });
});

describe('AsCode', () => {
  const forms = [
    { id: 'yaml', label: 'YAML', text: 'name: a', file: 'a.yaml' },
    { id: 'curl', label: 'curl', text: 'curl tg-secret', copied: 'curl $TOLLGATE_KEY' },
    { id: 'file', label: 'File', text: 'key: ••••', copied: 'key: $TOLLGATE_KEY', file: 'b.yaml' },
  ];

  it('shows the chosen form, and copies without the secret', async () => {
    renderUi(<AsCode label="Key as code" forms={forms} />);
    expect(screen.getByRole('button', { name: 'Download a.yaml' })).toBeTruthy();
    fireEvent.click(screen.getByRole('radio', { name: 'curl' }));
    expect(screen.getByText('curl tg-secret')).toBeTruthy();
    await settle(() => void fireEvent.click(screen.getByRole('button', { name: 'Copy curl' })));
    expect(writeText).toHaveBeenLastCalledWith('curl $TOLLGATE_KEY');
  });

  it('downloads what it copies, not a masked secret', () => {
    renderUi(<AsCode label="Key as code" forms={forms} initial="file" />);
    fireEvent.click(screen.getByRole('button', { name: 'Download b.yaml' }));
    expect(saveFile).toHaveBeenLastCalledWith('b.yaml', 'key: $TOLLGATE_KEY');
  });
});
