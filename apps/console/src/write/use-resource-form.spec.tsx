import { TextInput } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { makeQueryClient } from '../app/queries';
import { ThemeProvider } from '../ui/theme/theme-provider';
import { ConflictDialog } from './conflict-dialog';
import { useResourceForm } from './use-resource-form';

/** Stub of a config of the admin API that others can change. */
class ConfigApi {
  name = 'chat-prod';
  slug = 'chat-prod';
  status = 'active';
  version = 7;
  /** Error of the next write; null for none. */
  refusal: { readonly type: string; readonly message: string } | null = null;
  /** Writes respond after it. */
  delay: Promise<void> = Promise.resolve();
  readonly writes: { readonly body: unknown; readonly etag: string | null }[] = [];

  readonly fetch = async (request: Request): Promise<Response> => {
    if (request.method === 'GET') {
      const body = { object: 'config', id: 'c1', name: this.name, slug: this.slug, config: {} };
      return Response.json(body, { headers: { etag: this.tag } });
    }
    const etag = request.headers.get('if-match');
    if (etag !== this.tag) {
      const error = { type: 'etag_mismatch', message: 'It was changed.', code: 'AB07' };
      return Response.json({ error }, { status: 412 });
    }
    if (this.refusal !== null) return Response.json({ error: this.refusal }, { status: 503 });
    const body = (await request.json()) as { name?: string };
    this.writes.push({ body, etag });
    await this.delay;
    this.change(body.name ?? this.name);
    return Response.json({});
  };

  change(name: string): void {
    this.name = name;
    this.version += 1;
  }

  private get tag(): string {
    return `"${String(this.version)}"`;
  }
}

function ConfigForm(): ReactElement {
  const form = useResourceForm({
    get: 'configs_get',
    getParams: { path: { config: 'c1' } },
    put: 'configs_update',
    putParams: { path: { config: 'c1' } },
    valuesOf: ({ name }) => ({ name }),
    draft: 'config c1',
  });
  if (!form.isReady) return <p>loading</p>;
  return (
    <>
      <TextInput label="Name" key={form.keyOf('name')} {...form.field('name')} />
      <p>would send: {form.changed.join(' ')}</p>
      {form.isRestored && <p>restored</p>}
      <button onClick={() => void form.save()}>Save</button>
      <button onClick={form.reset}>Discard</button>
      {form.undo !== null && <button onClick={() => void form.undo?.()}>Undo</button>}
      <ConflictDialog name="chat-prod" conflict={form.conflict} />
    </>
  );
}

const show = () =>
  render(
    <ThemeProvider env="test">
      <QueryClientProvider client={makeQueryClient()}>
        <ConfigForm />
      </QueryClientProvider>
    </ThemeProvider>,
  );

describe('useResourceForm', () => {
  let api: ConfigApi;
  const user = userEvent.setup();
  const rename = async (name: string) => {
    const field = await screen.findByLabelText('Name');
    await user.clear(field);
    await user.type(field, name);
  };
  const press = (name: string) => user.click(screen.getByRole('button', { name }));

  beforeEach(() => {
    api = new ConfigApi();
    sessionStorage.clear();
    globalThis.fetch = (request) => api.fetch(request as Request);
  });

  it('sends nothing without changes, then only the changed member with the etag of the opened version', async () => {
    show();
    await screen.findByLabelText('Name');
    await press('Save');
    expect(api.writes).toEqual([]);
    await rename('chat-main');
    expect(screen.getByText('would send: name')).toBeTruthy();
    await press('Save');
    await waitFor(() => expect(api.writes).toEqual([{ body: { name: 'chat-main' }, etag: '"7"' }]));
    await press('Undo');
    await waitFor(() => expect(api.name).toBe('chat-prod'));
    expect(api.writes.at(-1)).toEqual({ body: { name: 'chat-prod' }, etag: '"8"' });
  });

  it('asks when both sides changed a member, and saves the choice', async () => {
    show();
    await rename('mine');
    api.change('theirs');
    await press('Save');
    await screen.findByText('chat-prod was changed while you edited it');
    expect(api.writes).toEqual([]);
    await press('Save 1 field');
    await waitFor(() => expect(api.name).toBe('mine'));
    expect(api.writes).toEqual([{ body: { name: 'mine' }, etag: '"8"' }]);
  });

  it('shows in the dialog that the choice could not be saved', async () => {
    show();
    await rename('mine');
    api.change('theirs');
    await press('Save');
    await screen.findByText('chat-prod was changed while you edited it');
    api.refusal = { type: 'unavailable', message: 'The database is away.' };
    await press('Save 1 field');
    const dialog = await screen.findByRole('dialog');
    await within(dialog).findByText('The database is away.');
    api.refusal = null;
    await press('Save 1 field');
    await waitFor(() => expect(api.name).toBe('mine'));
  });

  it('writes nothing when the other side is chosen, and shows its value', async () => {
    show();
    await rename('mine');
    api.change('theirs');
    await press('Save');
    await screen.findByText('chat-prod was changed while you edited it');
    await user.click(screen.getByRole('radio', { name: 'theirs' }));
    await press('Save 0 fields');
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('theirs'));
    expect(api.writes).toEqual([]);
  });

  it('shows the newest version when others have saved the same change', async () => {
    show();
    await rename('same');
    api.change('same');
    await press('Save');
    await waitFor(() => expect(screen.getByText('would send:')).toBeTruthy());
    expect(api.writes).toEqual([]);
  });

  it('begins each conflict without the choices of an earlier one', async () => {
    show();
    await rename('mine');
    api.change('theirs');
    await press('Save');
    await user.click(await screen.findByRole('radio', { name: 'theirs' }));
    await press('Save 0 fields');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await rename('mine');
    api.change('newer');
    await press('Save');
    await screen.findByText('chat-prod was changed while you edited it');
    screen.getByRole('button', { name: 'Save 1 field' });
  });

  it('keeps what is entered while a save is under way', async () => {
    let answer = (): void => undefined;
    api.delay = new Promise((resolve) => {
      answer = resolve;
    });
    show();
    await rename('first');
    await press('Save');
    await waitFor(() => expect(api.writes).toHaveLength(1));
    await rename('second');
    answer();
    await waitFor(() => expect(screen.getByText('would send: name')).toBeTruthy());
    await screen.findByRole('button', { name: 'Undo' });
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('second');
    expect(api.name).toBe('first');
  });

  it('asks about a restored draft whose member others have changed meanwhile', async () => {
    const { unmount } = show();
    await rename('draft');
    unmount();
    api.change('theirs');
    show();
    await screen.findByText('restored');
    await press('Save');
    await screen.findByText('chat-prod was changed while you edited it');
    expect(api.writes).toEqual([]);
    await user.click(screen.getByRole('radio', { name: 'theirs' }));
    await press('Save 0 fields');
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('theirs'));
  });

  it('discards a restored draft in favour of the newest version', async () => {
    const { unmount } = show();
    await rename('draft');
    unmount();
    api.change('theirs');
    show();
    await screen.findByText('restored');
    await press('Discard');
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('theirs');
  });

  it('restores the draft of a page that was left', async () => {
    const { unmount } = show();
    await rename('draft');
    unmount();
    show();
    await screen.findByText('restored');
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('draft');
    await press('Save');
    await waitFor(() => expect(api.name).toBe('draft'));
    expect(Object.keys(sessionStorage)).toEqual([]);
  });
});
