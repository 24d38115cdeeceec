import { anthropicError } from './anthropic/error';
import { openAiError } from './openai/error';

describe('openAiError and anthropicError', () => {
  it.each([
    [{ error: { message: 'm', type: 't', code: 'c' } }, { message: 'm', type: 't', code: 'c' }],
    [
      { error: { message: 'm', code: 400, status: 'INVALID_ARGUMENT' } },
      { message: 'm', type: 'INVALID_ARGUMENT', code: '400' },
    ],
    [{ error: {} }, { message: 'The provider gave no error message.', type: null, code: null }],
    [{ error: 'text' }, { message: 'text', type: null, code: null }],
    [
      { message: 'm', type: 't', code: 7 },
      { message: 'm', type: 't', code: '7' },
    ],
    [{ detail: 'd' }, { message: 'd', type: null, code: null }],
    [
      { detail: [{ loc: ['body'], msg: 'one' }, { msg: 'two' }] },
      { message: 'one; two', type: null, code: null },
    ],
    [{ detail: { error: 'e' } }, { message: 'e', type: null, code: null }],
    [
      { error_code: 'RESOURCE_DOES_NOT_EXIST', message: 'm' },
      { message: 'm', type: null, code: 'RESOURCE_DOES_NOT_EXIST' },
    ],
    [
      { success: false, errors: [{ code: 7003, message: 'No route' }] },
      { message: 'No route', type: null, code: '7003' },
    ],
    [{ errors: [] }, null],
    [{ id: 'cmpl', choices: [] }, null],
    [{ detail: [] }, null],
  ])('reads the OpenAI error %p', (body, expected) => {
    expect(openAiError(body)).toEqual(expected);
  });

  it('reads an Anthropic error', () => {
    const body = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(anthropicError(body)).toEqual({ message: 'Overloaded', type: 'overloaded_error', code: null });
    expect(anthropicError({ type: 'message' })).toBeNull();
  });
});
