import { defineJob, type JobProcessor, type JobSpec } from './job';
import { JOBS, processorsByName } from './registry';

const job = (name: string): JobSpec => defineJob({ name, everyMs: null, scheduledPayload: {} });
const processorOf = (spec: JobSpec): JobProcessor => ({ spec, process: () => Promise.resolve() });

describe('processorsByName', () => {
  const [first, second] = [job('first'), job('second')];

  it('pairs every job with its processor', () => {
    const processors = [processorOf(first), processorOf(second)];
    expect([...processorsByName([first, second], processors).keys()]).toEqual(['first', 'second']);
  });

  it.each([
    ['a job without a processor', [first, second], [first], /second has no processor/],
    ['two processors of one job', [first], [first, first], /more than one/],
    ['a processor of no job', [first], [first, second], /no job of that name/],
  ])('refuses %s, so that no job waits forever', (_, jobs, processed, message) => {
    expect(() => processorsByName(jobs, processed.map(processorOf))).toThrow(message);
  });
});

it('gives every job a unique name that BullMQ accepts as an id', () => {
  const names = JOBS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z-]+$/);
});
