import type { AgentSkillEntity } from '@gw/entities';
import { ResponseField } from '@gw/web';

/** Texts of a skill as the agent wrote them, for responses. */
export class AgentSkillTexts {
  @ResponseField.text({ description: "The `id` of the skill in the agent's card.", example: 'book-flight' })
  readonly id!: string;
  @ResponseField.uuid({
    description: 'Id of the skill in Tollgate. It stays the same when the texts of the skill change.',
  })
  readonly skill_id!: string;
  @ResponseField.text({ nullable: true, example: 'Book a flight' }) readonly name!: string | null;
  @ResponseField.text({ nullable: true, example: 'Books flights.' }) readonly description!: string | null;
  @ResponseField.any() readonly tags!: unknown;
  @ResponseField.any() readonly examples!: unknown;
  @ResponseField.any() readonly input_modes!: unknown;
  @ResponseField.any() readonly output_modes!: unknown;
}

export function skillTexts(
  { id: skill_id, name: id }: Pick<AgentSkillEntity, 'id' | 'name'>,
  definition: Readonly<Record<string, unknown>>,
): AgentSkillTexts {
  const { name, description } = definition;
  return {
    ...{ id, skill_id },
    name: typeof name === 'string' ? name : null,
    description: typeof description === 'string' ? description : null,
    tags: definition['tags'] ?? null,
    examples: definition['examples'] ?? null,
    input_modes: definition['inputModes'] ?? null,
    output_modes: definition['outputModes'] ?? null,
  };
}
