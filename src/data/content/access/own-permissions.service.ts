import { Injectable } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import type { Principal } from '../../../kernel/principal.types.js';
import { RoleDirectory, RouteAccessInspector } from '../../../identity/auth/auth.public.js';
import { ContentAbilities, type SchemaAbility } from './content-abilities.service.js';
import type { ContentAction } from '../resolve/resolved.types.js';

/** One action on the records of a schema. */
class OwnAction {
  @ApiProperty({
    enum: ['allow', 'rules'],
    description: '`rules`: with some of the records; which, the service decides record by record.',
  })
  readonly value: 'allow' | 'rules';
  @ApiPropertyOptional({
    type: [String],
    description: 'Fields that the action shows (`list`, `get`, `aggregate`) or takes (`create`, `update`).',
  })
  readonly fields?: readonly string[];
}

/** The body of `GET /api/auth/permissions`. What may not be reached is not in it, and no rule is told. */
@ApiSchema({ name: 'Permissions' })
@ApiExtraModels(OwnAction)
export class OwnPermissions {
  @ApiProperty() readonly root: boolean;
  @ApiProperty({ type: [String], description: 'Names of the roles; none for a guest.' })
  readonly roles: readonly string[];
  @ApiProperty({ type: [String], description: 'Routes beside content, by their resource.' })
  readonly resources: readonly string[];
  @ApiProperty({
    type: 'object',
    description: 'By the name of the schema, and of the action.',
    additionalProperties: { type: 'object', additionalProperties: { $ref: getSchemaPath(OwnAction) } },
  })
  readonly content: Readonly<Record<string, Partial<Record<ContentAction, OwnAction>>>>;
}

/** Returns the permissions of the current user or guest. */
@Injectable()
export class OwnPermissionsService {
  private resources: readonly string[] | null = null;

  constructor(
    private readonly abilities: ContentAbilities,
    private readonly routes: RouteAccessInspector,
    private readonly directory: RoleDirectory,
  ) {}

  async of(principal: Principal): Promise<OwnPermissions> {
    const context = await this.abilities.open(principal);
    const { root, roles } = context.permissions;
    const content = [...this.abilities.in(context)].map(
      (ability) => [ability.schema.name, actionsOf(ability)] as const,
    );
    this.resources ??= this.routes.resources();
    const open = this.resources.filter((name) => this.directory.isOpenTo(principal, context.permissions, name));
    return { root, roles, resources: open, content: Object.fromEntries(content) };
  }
}

function actionsOf(ability: SchemaAbility): Partial<Record<ContentAction, OwnAction>> {
  const actions = [...ability.actions].map(([action, value]) => {
    const fields = fieldsOf(ability, action);
    return [action, fields === undefined ? { value } : { value, fields }] as const;
  });
  return Object.fromEntries(actions);
}

function fieldsOf(ability: SchemaAbility, action: ContentAction): readonly string[] | undefined {
  if (action === 'create' || action === 'update') return ability.written(action).map(({ name }) => name);
  if (action === 'delete' || action === 'restore') return undefined;
  return ability.usable(action, action === 'aggregate' ? 'filter' : 'read').map(({ field }) => field.name);
}
