"""A case in the words of W3C PROV: entities, activities, agents, and how they depend on each other."""
