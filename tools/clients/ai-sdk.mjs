import { generateText, isStepCount, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { checkText, checkTurn, DESCRIPTION, joined, QUESTION, TOOL, weather } from './turn.mjs';

const tools = {
  [TOOL]: tool({ description: DESCRIPTION, inputSchema: z.object({ city: z.string() }), execute: weather }),
};
const stopWhen = (isStepCount ?? stepCountIs)(3);

/** Runs one turn with a tool, unstreamed and streamed, and a streamed text. */
export async function run(model) {
  const turn = { model, tools, stopWhen, prompt: QUESTION };
  checkTurn((await generateText(turn)).text);
  checkTurn(await joined(streamText(turn).textStream));
  checkText(await joined(streamText({ model, prompt: 'Hello' }).textStream));
}
