import { PasswordGate } from './password-gate';

describe('PasswordGate', () => {
  function held(): { readonly work: () => Promise<void>; readonly release: () => void; started: number } {
    const state = { started: 0, release: () => undefined as void, work: () => Promise.resolve() };
    const gate = new Promise<void>((resolve) => (state.release = resolve));
    state.work = () => {
      state.started += 1;
      return gate;
    };
    return state;
  }

  it('runs two jobs at a time and queues the others', async () => {
    const gate = new PasswordGate();
    const job = held();
    const all = Array.from({ length: 6 }, (_item, i) => gate.run(`10.0.0.${String(i)}`, job.work));
    await Promise.resolve();
    expect(job.started).toBe(2);
    job.release();
    await Promise.all(all);
    expect(job.started).toBe(6);
  });

  it('refuses the fifth job of one network and admits another network', async () => {
    const gate = new PasswordGate();
    const job = held();
    const own = Array.from({ length: 4 }, () => gate.run('10.0.0.1', job.work));
    await expect(gate.run('10.0.0.1', job.work)).rejects.toMatchObject({ type: 'rate_limited' });
    const other = gate.run('10.0.0.2', job.work);
    job.release();
    await Promise.all([...own, other]);
    await gate.run('10.0.0.1', job.work);
  });

  it('refuses with unavailable when 64 jobs are queued', async () => {
    const gate = new PasswordGate();
    const job = held();
    const all = Array.from({ length: 66 }, (_item, i) => gate.run(`10.0.0.${String(i)}`, job.work));
    await expect(gate.run('10.0.1.1', job.work)).rejects.toMatchObject({ type: 'unavailable' });
    job.release();
    await Promise.all(all);
  });

  it('frees the slot of a job that fails', async () => {
    const gate = new PasswordGate();
    for (let i = 0; i < 5; i += 1) {
      await expect(gate.run('10.0.0.1', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    }
  });
});
