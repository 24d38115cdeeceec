import { TextInput } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
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
    const body = (await request.json()) as { name?: string };
    this.writes.push({ body, etag });
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
