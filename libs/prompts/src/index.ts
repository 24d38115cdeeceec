export { TEMPLATE_LIMITS } from './bounds';
export {
  compilePartial,
  compilePrompt,
  componentsOf,
  variablesIn,
  type CompiledPrompt,
  type VariableComponents,
} from './prompt';
export type { RenderInput } from './render';
export type { PartialReference, Template } from './template';
