import { useQuery } from "@tanstack/react-query";
import type { Meta } from "~/api/model";
import { list, type Collection, type ListQuery } from "~/api/queries";
import { callIt } from "../object/ObjectLink";
import { SelectField } from "./fields";

interface Props {
  label: string;
  collection: Collection;
  query?: ListQuery;
  value: string;
  onChange: (id: string) => void;
  /** The first choice, which stands for none. */
  none: string;
  required?: boolean;
  help?: string;
  error?: string;
  /** Leaves out what cannot be meant. */
  keep?: (object: Meta) => boolean;
  describe?: (object: Meta) => string;
}

/** One object of a collection by its name. */
export function ObjectField({ collection, query, value, none, keep, describe, ...field }: Props) {
  const found = useQuery(list<Meta>(collection, { ...query, limit: 1000 }));
  const objects = (found.data?.items ?? []).filter((object) => keep?.(object) ?? true);
  const missing = value !== "" && !objects.some((object) => object.id === value);
  return (
    <SelectField
      {...field}
      value={value}
      choices={[
        { value: "", label: none },
        ...(missing ? [{ value, label: callIt({ id: value }) }] : []),
        ...objects.map((object) => ({
          value: object.id,
          label: describe ? `${callIt(object)} – ${describe(object)}` : callIt(object),
        })),
      ]}
    />
  );
}
