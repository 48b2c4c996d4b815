import { refusalMessages } from './translate-schema-fault.js';
import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { explainAsText } from '../../api/explain.js';
import type { SchemaPlan } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { MODEL, planRemoval, removeSchema } from './model-api.js';
import { PlanView } from './plan-view.js';

export function RemoveSchema({ name }: { name: string }) {
  const { model } = useTexts('model');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const plan = useMutation({ mutationFn: () => planRemoval(name) });
  const remove = useMutation({
    mutationFn: (seen: SchemaPlan) => removeSchema(name, seen),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: MODEL });
      await navigate({ to: '/dash/model', search: { applied: name } });
    },
  });
  const error = plan.error ?? remove.error;
  return (
    <>
      {error && <Notice tone="problem">{explainAsText(error, refusalMessages(model))}</Notice>}
      {plan.data ? (
        <PlanView
          plan={plan.data}
          busy={remove.isPending}
          onApply={() => remove.mutate(plan.data)}
          onCancel={() => [plan.reset(), remove.reset()]}
        />
      ) : (
        <Group>
          <Button variant="default" size="sm" loading={plan.isPending} onClick={() => plan.mutate()}>
            {model.remove(name)}
          </Button>
        </Group>
      )}
    </>
  );
}
