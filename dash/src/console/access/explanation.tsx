import type { AccessExplanation, ExplainedPart, ExplainedPermission } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import classes from './access.module.css';

interface ExplanationProps {
  explanation: AccessExplanation;
  hasRecord: boolean;
}

export function Explanation({ explanation, hasRecord }: ExplanationProps) {
  const { access } = useTexts('model');
  const { verdict, root, roles, permissions, deleted } = explanation;
  const isOpen = verdict === 'allow';
  return (
    <div className={classes.explanation}>
      <Notice tone={isOpen ? 'success' : 'plain'}>
        {root ? access.why.root : hasRecord ? access.why.verdicts[verdict] : access.why.without[verdict]}
        {deleted === true && ` ${access.why.deleted}`}
      </Notice>
      <div className={classes.effect}>{access.why.roles(roles.join(', ') || access.nothing)}</div>
      {permissions.length === 0 && !root && <div>{access.why.none}</div>}
      <ul className={classes.grants} aria-label={access.why.permissions}>
        {permissions.map((permission) => (
          <PermissionItem key={permission.id} permission={permission} />
        ))}
      </ul>
    </div>
  );
}

function PermissionItem({ permission }: { permission: ExplainedPermission }) {
  const { access } = useTexts('model');
  const { role, resource, value, decides, holds, fault, rule } = permission;
  return (
    <li className={classes.grant} data-decides={decides || undefined}>
      <div>
        <strong>{role}</strong> <code>{resource}</code>:{' '}
        {value === 'allow' || value === 'deny' ? access.choices[value] : access.choices.rule}
        {decides && <span className={classes.effect}> · {access.why.decides}</span>}
      </div>
      {fault !== null && <div className={classes.faults}>{fault}</div>}
      {rule !== null ? (
        <ul className={classes.parts}>
          <Part part={rule} />
        </ul>
      ) : (
        value !== 'allow' && value !== 'deny' && <RuleResult holds={holds} text={value} />
      )}
    </li>
  );
}

function Part({ part }: { part: ExplainedPart }) {
  const { access } = useTexts('model');
  return (
    <li>
      {part.kind === 'condition' ? (
        <RuleResult holds={part.holds} text={part.text} />
      ) : (
        <>
          <RuleResult holds={part.holds} text={null} />
          {access.why.of[part.kind]}
          <ul className={classes.parts}>
            {part.parts.map((inner) => (
              <Part key={`${inner.start} ${inner.end}`} part={inner} />
            ))}
          </ul>
        </>
      )}
    </li>
  );
}

const SIGNS = { yes: '✓', no: '✗', open: '?' };

function RuleResult({ holds, text }: { holds: boolean | null; text: string | null }) {
  const { access } = useTexts('model');
  const how = holds === null ? 'open' : holds ? 'yes' : 'no';
  return (
    <span className={classes.holds} data-holds={how}>
      <span className={classes.sign} role="img" aria-label={access.why.holds[how]} title={access.why.holds[how]}>
        {SIGNS[how]}
      </span>{' '}
      {text !== null && <code>{text}</code>}
    </span>
  );
}
