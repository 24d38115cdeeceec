import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { renderConsole, type Answers } from '../../spec-support/render-console';

const EMPTY = { object: 'list', total: 0, data: [] };

describe('number fields of a new key', () => {
  const user = userEvent.setup();
  const bodies: unknown[] = [];
  const answers: Answers = {
    'GET /v1/api-keys': EMPTY,
    'GET /v1/configs': EMPTY,
    'GET /v1/policies/usage-limits': EMPTY,
    'GET /v1/providers/models': EMPTY,
    'GET /v1/logs': { ...EMPTY, next_cursor: null },
    'POST /v1/api-keys/workspace/service': async (request: Request) => {
      bodies.push(await request.json());
      return Response.json({ object: 'api-key', id: 'k1', key: 'tg-secret' });
    },
  };
  const field = (name: string): Promise<HTMLElement> => screen.findByRole('textbox', { name });
  const choose = async (name: string, option: string): Promise<void> => {
    await user.click(await screen.findByRole('combobox', { name }));
    await user.click(await screen.findByRole('option', { name: option }));
  };
  const go = (step: RegExp): Promise<void> => user.click(screen.getByRole('button', { name: step }));
  async function open(): Promise<void> {
    renderConsole('/w/search/keys/new', answers);
    await user.type(await screen.findByRole('textbox', { name: /^Name/ }), 'ci');
  }
  const create = async (): Promise<unknown> => {
    await user.click(screen.getByRole('button', { name: 'Create key' }));
    await waitFor(() => expect(bodies).toHaveLength(1));
    return bodies[0];
  };

  beforeEach(() => {
    bodies.length = 0;
    sessionStorage.clear();
    localStorage.clear();
  });

  it('take a budget with cents on the first step', async () => {
    await open();
    await user.type(await field('Budget'), '1.50');
    expect(await create()).toMatchObject({ usage_limits: { credit_limit: 1.5 } });
  });

  it('keep the unit and the reset of a budget whose amount is typed again', async () => {
    await open();
    await go(/^Limits/);
    await user.click(await screen.findByRole('switch', { name: 'Limit what it may spend' }));
    await choose('Counted in', 'tokens');
    await choose('Starts again', 'every Monday');
    await go(/^What it is for/);
    await user.clear(await field('Budget'));
    await user.type(await field('Budget'), '200');
    const usage_limits = { type: 'tokens', credit_limit: 200, periodic_reset: 'weekly' };
    expect(await create()).toMatchObject({ usage_limits });
  });

  it('send what the API refuses when a required number was removed, and not the former number', async () => {
    await open();
    await go(/^Limits/);
    await user.click(await screen.findByRole('switch', { name: 'Limit what it may spend' }));
    await choose('Starts again', 'after some days');
    await user.clear(await field('Days'));
    await user.click(screen.getByRole('button', { name: 'Add a rate' }));
    await user.clear(await field('Maximum'));
    await go(/^Life/);
    await choose('Rotates by itself', 'after some days');
    await user.clear(await field('Days'));
    expect(await create()).toMatchObject({
      usage_limits: { periodic_reset_days: '' },
      rate_limits: [{ value: null }],
      rotation_policy: { rotation_period_days: '' },
    });
  });
});
